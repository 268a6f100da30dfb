import { pemBlocks } from "../../src/pki/index.ts";
import type { Outcome, Tree, TreeEntry } from "./cases.ts";

/** What differs between a recorded outcome and ours, a line each. @param owners whether owners are compared */
export function differences(expected: Outcome, found: Outcome, owners: boolean): readonly string[] {
  const lines: string[] = [];
  // The words of an error are ours.
  if ((expected.error === undefined) !== (found.error === undefined)) {
    lines.push(
      `expected ${expected.error === undefined ? "no error" : `an error like ${expected.error}`}, found ${found.error ?? "none"}`,
    );
  }
  return [...lines, ...treeDifferences(expected.tree ?? {}, found.tree ?? {}, owners)];
}

function treeDifferences(expected: Tree, found: Tree, owners: boolean): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((path) => {
    const isPem = expected[path]?.pem !== undefined;
    const [wanted, there] = [expected[path], found[path]].map((entry) => entry && comparable(entry, isPem, owners));
    return wanted === there ? [] : [`${path}: expected ${wanted ?? "nothing"}, found ${there ?? "nothing"}`];
  });
}

/** An entry as text that is the same for what counts as the same. @param isPem whether the order of blocks counts as nothing */
function comparable(entry: TreeEntry, isPem: boolean, owners: boolean): string {
  const { mode, to, uid = 0, gid = 0 } = entry;
  const bytes = bytesOf(entry);
  const content = bytes && (isPem ? blocksOf(bytes.toString()) : bytes.toString("latin1"));
  return JSON.stringify({ mode, to, content, ...(owners ? { uid, gid } : {}) });
}

function bytesOf({ text, base64, pem }: TreeEntry): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  const whole = text ?? pem?.join("");
  return whole === undefined ? undefined : Buffer.from(whole);
}

/** The blocks of a PEM text in any order, and how long it is: nothing else may be in it. */
function blocksOf(text: string): unknown {
  const blocks = [...pemBlocks(text)].map(({ type, bytes }) => `${type} ${bytes.toString("base64")}`);
  return [text.length, ...blocks.toSorted()];
}
