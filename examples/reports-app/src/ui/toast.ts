/** Shows a short message at the edge of the page. */
export function showToast(text: string): void {
  document.querySelector("#toast")!.textContent = text;
}
