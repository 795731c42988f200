const SEPARATOR = ";";

/** One line a row; cells with a separator or quote are quoted. */
export function toCsv(rows: string[][]): string {
  return rows.map((row) => row.map(quote).join(SEPARATOR)).join("\n");
}

function quote(cell: string): string {
  return /[;"\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
