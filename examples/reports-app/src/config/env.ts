/** Trial accounts may export only where the deployment says so. */
export function exportsForTrials(): boolean {
  return process.env.EXPORTS_FOR_TRIALS === "1";
}
