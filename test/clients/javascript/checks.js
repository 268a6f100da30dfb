// What a part is made of: checks that are told to who runs the program, one line each (see ../program.ts).
import assert from "node:assert/strict";
import { once } from "node:events";

/** Whether a check has failed. */
export let failed = false;

/** Tries one thing, within 20 s. */
export async function check(name, attempt) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing has come of it in 20 s")), 20_000);
  });
  try {
    await Promise.race([attempt(), late]);
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    const text = error?.code === undefined ? (error?.stack ?? String(error)) : error.message;
    console.log(`not ok ${name}: ${text.replaceAll(/\s*\n\s*/g, " ")}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Has the server ended and started again; returns when it is ready. */
export async function restart(signal = "SIGTERM") {
  process.stdin.ref();
  const restarted = once(process.stdin, "data");
  console.log(`restart ${signal}`);
  await restarted;
  process.stdin.unref();
}

/** Waits until something is so; the check's own limit ends it otherwise. */
export async function until(holds) {
  while (!(await holds())) await sleep(10);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Expects a call to be refused, and returns what the library throws. */
export async function refused(call, code, reason) {
  let error;
  try {
    await call();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error, `expected ${code} ${reason}, got an answer`);
  assert.equal(error.code, code, error.stack);
  const status = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
  assert.equal(status.kind, "Status");
  assert.equal(status.reason, reason);
  assert.equal(status.code, code);
  return { error, status };
}
