import { requireExportPermission, type User } from "../accounts/index.js";
import { ReportStore } from "./reportStore.js";
import { toCsv } from "./csv.js";

export interface Report {
  id: string;
  title: string;
  rows: string[][];
}

export interface ExportedFile {
  name: string;
  content: string;
}

/** Loads reports and turns them into files. */
export class ReportService {
  constructor(private readonly store: ReportStore) {}

  /** Checks that the user may export, then renders the report as CSV. */
  async exportReport(user: User, reportId: string): Promise<ExportedFile> {
    requireExportPermission(user);
    const report = await this.store.load(reportId);
    return { name: `${report.title}.csv`, content: toCsv(report.rows) };
  }

  async titles(): Promise<string[]> {
    const reports = await this.store.list();
    return reports.map((report) => report.title);
  }
}
