export { requireExportPermission, canExport } from "./permissions.js";
export { AccountStatus, EXPORTING_STATUSES } from "./accountStatus.js";
export type { User } from "./user.js";
