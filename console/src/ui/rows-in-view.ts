/** Rows that are drawn beyond each edge, so that slow scrolling shows no gap. */
const BEYOND = 8;

/** The rows that a view of some height shows when it is scrolled down by `top`; all in CSS pixels. */
export function rowsInView(
  top: number,
  viewHeight: number,
  rowHeight: number,
  count: number,
): { readonly from: number; readonly to: number } {
  const from = Math.min(count, Math.max(0, Math.floor(top / rowHeight) - BEYOND));
  return { from, to: Math.min(count, Math.max(from, Math.ceil((top + viewHeight) / rowHeight) + BEYOND)) };
}
