/** How many entries a report has in detail where its request does not say, and at most. */
export const REPORT_LIMIT = { usual: 20, most: 500 } as const;
