/** Whether an error is one of jose with this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as Error & { readonly code?: unknown }).code === code;
