export { ExportButton } from "./ui/ExportButton.js";
export { ReportService, type Report } from "./reports/reportService.js";
export * from "./accounts/index.js";
