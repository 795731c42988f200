import { exportsForTrials } from "../config/env.js";

export enum AccountStatus {
  Active = "active",
  Trial = "trial",
  Suspended = "suspended",
}

/** Accounts in one of these states may export reports. */
export const EXPORTING_STATUSES: readonly AccountStatus[] = exportsForTrials()
  ? [AccountStatus.Active, AccountStatus.Trial]
  : [AccountStatus.Active];
