import { expect, test } from "vitest";
import { AccountStatus, canExport } from "../src/accounts/index.js";

test("suspended accounts cannot export", () => {
  const user = { id: "1", email: "a@example.org", status: AccountStatus.Suspended };
  expect(canExport(user)).toBe(false);
});
