import { expect, test } from "vitest";
import { deadlinesOf, fileCallsOf, hookOf } from "./overlay.ts";

const FILES = `package syscall

func Open() {}

func fsCall(name string, args ...any) (js.Value, error) {
	c := make(chan callResult, 1)
	return res.val, res.err
}

func recoverErr(errPtr *error) {
}
`;
const PROC = `package runtime

func main() {
	doInit()
	fn := main_main // an indirect call
	fn()
}
`;

test("only the call of files is replaced", () => {
  const replaced = fileCallsOf(FILES);
  expect(replaced).not.toContain("make(chan");
  expect(replaced).toContain("return jsFS.Call(name, args...), nil\n}\n\nfunc recoverErr(");
  expect(replaced.startsWith("package syscall\n\nfunc Open() {}\n\nfunc fsCall(")).toBe(true);
});

test("the hook stands right before main", () => {
  const replaced = hookOf(PROC);
  expect(replaced).toMatch(/beforeMain\(\)\n\t}\n\tfn := main_main \/\/ an indirect call\n\tfn\(\)/);
  expect(replaced).toMatch(/\/\/go:linkname beforeMain\nvar beforeMain func\(\)\n$/);
});

test("the deadline is reported before the timeout", () => {
  const replaced = deadlinesOf(
    "package runtime\n\n\t\tidleTimeout.clear()\n\n\t\tidleTimeout = &timeoutEvent{\n\t\t}\n",
  );
  expect(replaced).toContain("hostDeadline(longDelay(now))\n\t\tidleTimeout = &timeoutEvent{\n");
  expect(replaced).toContain("func longDelay(now int64) int64 {");
});

test.for([
  ["runtime/proc.go", hookOf],
  ["runtime/lock_js.go", deadlinesOf],
  ["syscall/fs_js.go", fileCallsOf],
] as const)("another version of %s is refused", ([file, replace]) => {
  expect(() => replace("package other\n")).toThrow(`expected ${file} of Go to have`);
});
