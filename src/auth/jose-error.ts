/** Whether an error of jose has this code. */
export const isJoseError = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
