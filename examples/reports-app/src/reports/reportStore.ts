import type { Report } from "./reportService.js";

/** Keeps reports in memory; stands in for a database. */
export class ReportStore {
  private readonly reports = new Map<string, Report>();

  async load(id: string): Promise<Report> {
    const report = this.reports.get(id);
    if (!report) throw new Error(`no report ${id}`);
    return report;
  }

  async list(): Promise<Report[]> {
    return [...this.reports.values()];
  }

  save(report: Report): void {
    this.reports.set(report.id, report);
  }
}
