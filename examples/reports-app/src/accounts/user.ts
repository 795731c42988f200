import type { AccountStatus } from "./accountStatus.js";

export interface User {
  id: string;
  email: string;
  status: AccountStatus;
}
