import { expect, test } from "vitest";
import { FieldErrors } from "../../../meta/field-errors.ts";
import { neutral } from "../../../meta/dialect.ts";
import { contextOf } from "../../../schema/testing/kind.ts";
import type { WorkerThreads, Job } from "../../../util/worker-threads.ts";
import { atOnce } from "../../../util/steps.ts";
import { validateExpressions } from "./selectors.ts";

/** Threads that do their jobs here. */
class Here implements WorkerThreads {
  readonly jobs: Job[] = [];

  async run(job: Job): Promise<unknown> {
    this.jobs.push(job);
    const { run } = (await import(job.module)) as { run: (task: unknown) => unknown };
    return run(structuredClone(job.input));
  }
}

async function judge(...expressions: string[]): Promise<{ readonly fields: unknown[]; readonly jobs: number }> {
  const threads = new Here();
  const errors = new FieldErrors();
  const placed = expressions.map((expression, i) => ({ field: `${i}`, expression }));
  await atOnce(validateExpressions(placed, errors, { ...contextOf(neutral), threads, warnings: [] }));
  return { fields: errors.causes.map(({ field }) => field), jobs: threads.jobs.length };
}

const long = (expression: string): string =>
  `${Array.from({ length: 1000 }, () => "true").join(" && ")} && ${expression}`;
const pattern = (source: string): string => `device.driver.matches("${source.repeat(200)}")`;

test("selectors are validated on the event loop, and in a worker thread where they would take too long", async () => {
  expect(await judge()).toEqual({ fields: [], jobs: 0 });
  expect(await judge("true", "1", "device.driver")).toEqual({ fields: ["1", "2"], jobs: 0 });
  expect(await judge("1", long("true"), long("1"))).toEqual({ fields: ["0", "2"], jobs: 1 });
  expect(await judge(pattern("((a{30}){30}){1}"))).toEqual({ fields: [], jobs: 1 });
});
