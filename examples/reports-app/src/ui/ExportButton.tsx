import { ReportService } from "../reports/reportService.js";
import type { User } from "../accounts/index.js";
import { showToast } from "./toast.js";

export interface ExportButtonProps {
  user: User;
  reportId: string;
  service: ReportService;
}

/** The button on the report page that starts a download. */
export function ExportButton({ user, reportId, service }: ExportButtonProps) {
  const onClick = async () => {
    try {
      const file = await service.exportReport(user, reportId);
      showToast(`Saved ${file.name}`);
    } catch (error) {
      showToast(String(error));
    }
  };
  return <button onClick={onClick}>Export</button>;
}
