/** What the system's refusals mean, and what helps. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: "nothing there",
  EACCES: "no permission for it",
  EPERM: "no permission for it",
  EROFS: "a read-only file system; what is there can be served with --read-only",
  ENOSPC: "no room on the disk",
  EDQUOT: "a quota that is used up",
  EEXIST: "a file in its place",
  ENOTDIR: "a file where a directory should be",
  EISDIR: "a directory",
  EIO: "an I/O error of the disk",
  EMFILE: "too many open files",
};

/**
 * What the system refuses, in the form of all our messages: `expected FILE to be writable, found no room on the disk (ENOSPC)`.
 * It keeps the code and the system call.
 */
export function refusal(file: string, expected: string, error: unknown): Error {
  const { code = "", message, syscall = "open" } = error as NodeJS.ErrnoException;
  const meaning = MEANINGS[code];
  const found = meaning === undefined ? message : `${meaning} (${code})`;
  return Object.assign(new Error(`expected ${file} to be ${expected}, found ${found}`, { cause: error }), {
    code,
    syscall,
  });
}
