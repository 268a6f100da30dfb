import { expect, test } from "vitest";
import { Files } from "./files.ts";

const [O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY] = [2, 64, 128, 512, 1024, 65_536] as const;

const written: [number, string][] = [];
const open = (): Files =>
  new Files(Files.of({ "/run/token": "secret", "/run/ns/name": "x" }), (fd, bytes) => {
    written.push([fd, Buffer.from(bytes).toString()]);
  });
const read = (files: Files, path: string): string => {
  const fd = files.open(path, 0);
  const to = new Uint8Array(100);
  const length = files.read(fd, to, 0, 100, null);
  expect(files.read(fd, to, 0, 100, null)).toBe(0);
  files.close(fd);
  return Buffer.from(to.subarray(0, length)).toString();
};
const write = (files: Files, path: string, flags: number, text: string): void => {
  const fd = files.open(path, flags);
  files.write(fd, Buffer.from(text), 0, text.length, null);
  files.close(fd);
};

test("files are read, and folders listed", () => {
  const files = open();
  expect(read(files, "/run/../run/./token")).toBe("secret");
  expect(files.readdir("/run")).toEqual(["ns", "token"]);
  expect(files.readdir("/")).toEqual(["run", "tmp"]);
  expect(files.stat("/run/token")).toMatchObject({ size: 6, mode: 0o100_644 });
});

test("files are written: from the beginning, at the end, and at an offset", () => {
  const files = open();
  write(files, "/tmp/a", O_RDWR | O_CREAT, "one");
  write(files, "/tmp/a", O_RDWR | O_APPEND, " two");
  expect(read(files, "/tmp/a")).toBe("one two");
  const fd = files.open("/tmp/a", O_RDWR);
  files.write(fd, Buffer.from("ONE"), 0, 3, 0);
  expect(read(files, "/tmp/a")).toBe("ONE two");
  write(files, "/tmp/a", O_RDWR | O_TRUNC, "3");
  expect(read(files, "/tmp/a")).toBe("3");
  files.rename("/tmp/a", "/tmp/b");
  files.unlink("/tmp/b");
  expect(files.readdir("/tmp")).toEqual([]);
});

test("standard output and error are not files", () => {
  open().write(2, Buffer.from("log\n"), 0, 4, null);
  expect(written).toContainEqual([2, "log\n"]);
});

test.for<[string, (files: Files) => unknown, string]>([
  ["a file that is not there", (files) => files.open("/no", 0), "ENOENT"],
  ["a folder that is not there", (files) => files.open("/no/file", O_CREAT), "ENOENT"],
  ["a file that is there", (files) => files.open("/run/token", O_CREAT | O_EXCL), "EEXIST"],
  ["a file in place of a folder", (files) => files.open("/run/token", O_DIRECTORY), "ENOTDIR"],
  ["a folder in place of a file", (files) => files.unlink("/run"), "EISDIR"],
  ["a folder that is not empty", (files) => files.rmdir("/run"), "ENOTEMPTY"],
  ["a file that is not open", (files) => files.close(7), "EBADF"],
  ["a link", (files) => files.symlink("/a"), "ENOSYS"],
])("%s has the code of Node", ([, work, code]) => {
  expect(() => work(open())).toThrow(expect.objectContaining({ code }) as Error);
});

test("a copy has the open files in their positions, and changes nothing of the first", () => {
  const files = open();
  const fd = files.open("/run/token", O_RDWR);
  files.read(fd, new Uint8Array(2), 0, 2, null);
  const copy = new Files(files.keep(), () => {});
  const to = new Uint8Array(2);
  copy.read(fd, to, 0, 2, null);
  expect(Buffer.from(to).toString()).toBe("cr");
  write(copy, "/run/token", O_RDWR | O_TRUNC, "other");
  expect(read(files, "/run/token")).toBe("secret");
});
