/** The meanings of error codes of the operating system. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "no permission for it",
  EPERM: "no permission for it",
  EROFS: "a read-only file system; its data can be served with --read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "an exhausted disk quota",
  EEXIST: "a file in its place",
  ENOTDIR: "a file where a directory should be",
  EISDIR: "a directory",
  EIO: "an I/O error of the disk",
  EMFILE: "too many open files",
};

/**
 * Returns an error of a file operation with a message such as `expected FILE to be writable, found no space left on the disk (ENOSPC)`, and
 * with the code and the system call of its cause.
 */
export function fileError(file: string, expected: string, error: unknown): Error {
  const { code = "", message, syscall = "open" } = error as NodeJS.ErrnoException;
  const meaning = MEANINGS[code];
  const found = meaning === undefined ? message : `${meaning} (${code})`;
  return Object.assign(new Error(`expected ${file} to be ${expected}, found ${found}`, { cause: error }), {
    code,
    syscall,
  });
}
