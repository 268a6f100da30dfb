import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { MAX_FRAGMENT, fragmentOf, stateOf } from "./state-link.ts";

test("commands come back from a link, whatever they contain", async () => {
  const commands = ["kubectl get pods", "cat > a.yaml <<EOF\nname: \u00fc\u{1f600}\nEOF", "", "a".repeat(5000)];
  const fragment = await fragmentOf({ commands });
  expect(fragment).toMatch(/^run=1\.[\w-]+$/);
  expect(await stateOf(`#${fragment}`)).toEqual({ commands });
});

test("another fragment has no state", async () => {
  expect(await stateOf("#two-writers")).toBeUndefined();
  expect(await stateOf("")).toBeUndefined();
});

test("more than a link may have is refused when it is made", async () => {
  await expect(fragmentOf({ commands: Array.from({ length: 501 }, () => "true") })).rejects.toThrow(
    "at most 500 commands",
  );
  const noise = Array.from({ length: 400 }, () => `echo ${randomBytes(100).toString("hex")}`);
  await expect(fragmentOf({ commands: noise })).rejects.toThrow(`at most ${MAX_FRAGMENT} characters`);
});

test("a forged link is refused, and takes no more memory than its bound", async () => {
  await expect(stateOf("#run=1.AAAA")).rejects.toThrow("expected a link with commands");
  await expect(stateOf(`#run=1.${"A".repeat(MAX_FRAGMENT)}`)).rejects.toThrow("expected a link of at most");
  // A few bytes that become a hundred megabytes.
  const bomb = new Blob([new Uint8Array(20 << 20)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = Buffer.from(await new Response(bomb).arrayBuffer()).toString("base64url");
  if (packed.length < MAX_FRAGMENT) throw new Error("expected a longer text for this test");
  const small = new Blob([new Uint8Array(5 << 20)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const short = Buffer.from(await new Response(small).arrayBuffer()).toString("base64url");
  expect(short.length).toBeLessThan(MAX_FRAGMENT);
  await expect(stateOf(`#run=1.${short}`)).rejects.toThrow("expected at most 262144 bytes");
  const wrong = new Blob(['[1, {"a": 2}]']).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const text = Buffer.from(await new Response(wrong).arrayBuffer()).toString("base64url");
  await expect(stateOf(`#run=1.${text}`)).rejects.toThrow("a command that is no text");
});
