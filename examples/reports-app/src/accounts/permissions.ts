import { EXPORTING_STATUSES } from "./accountStatus.js";
import type { User } from "./user.js";

export class PermissionError extends Error {}

/** Whether the state of the user's account allows an export. */
export function canExport(user: User): boolean {
  return EXPORTING_STATUSES.includes(user.status);
}

export function requireExportPermission(user: User): void {
  if (!canExport(user)) {
    throw new PermissionError(`${user.email} may not export reports`);
  }
}
