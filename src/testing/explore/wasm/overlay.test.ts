import { expect, test } from "vitest";
import { fileCallsOf, hookOf } from "./overlay.ts";

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

test.for([
  ["runtime/proc.go", hookOf],
  ["syscall/fs_js.go", fileCallsOf],
] as const)("another version of %s is refused", ([file, replace]) => {
  expect(() => replace("package other\n")).toThrow(`expected ${file} of Go to have`);
});
