/** The exit codes of the program beyond 0 and 1; `tools/reference/commands.ts` lists them on the page of commands. */
export const EXIT_CODES = {
  /** The command line, the environment or the file of options is invalid. */
  usage: 2,
  /** The store has failed. */
  store: 70,
  /** The files of the store were removed. */
  gone: 72,
} as const;
