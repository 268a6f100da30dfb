import { expect, test } from "vitest";
import type { AdmissionStep } from "../admission/contract.ts";
import { forbidden } from "../meta/status.ts";
import type { ResourceDefinition } from "../schema/definition.ts";
import type { Resource } from "./contract.ts";
import { failureOf } from "./errors.ts";
import { CALLER, WRITE, bodyOf, named, read, registryOf, widget } from "./testing/registry.ts";

const body = (spec: object = {}, metadata: object = {}) => bodyOf({ metadata: { name: "a", ...metadata }, spec });

/** A kind and two steps of admission that take down who does what, in which order. */
async function told(more: Partial<ResourceDefinition> = {}, last: Partial<AdmissionStep> = {}) {
  const done: string[] = [];
  const note = (what: string) => (): void => void done.push(what);
  const definition = widget("v1", {
    convert: note("convert"),
    defaults: note("defaults"),
    prepareForCreate: note("prepare"),
    prepareForUpdate: note("prepare"),
    validate: note("validate"),
    validateUpdate: note("validate"),
    warnings: () => [`warning ${done.length}`],
    ...more,
  });
  const step = (name: string): AdmissionStep => ({
    name,
    mutate: note(`${name} mutates`),
    validate: note(`${name} validates`),
    commit() {
      done.push(`${name} commits`);
      return undefined;
    },
  });
  const { kinds } = await registryOf([definition], { steps: [step("first"), { ...step("last"), ...last }] });
  const widgets: Resource = kinds.find("example.com", "v1", "widgets")!;
  return { widgets, done };
}

const READ = ["convert", "defaults"];
const JUDGED = ["first mutates", "last mutates", "prepare", "validate", "first validates", "last validates"];

test("a create and an update pass the same steps in the same order, and what must be done before the write is done last", async () => {
  const { widgets, done } = await told();
  await widgets.create(named(""), body(), WRITE, CALLER);
  expect(done.splice(0)).toEqual([...READ, ...JUDGED, "first commits", "last commits"]);
  await widgets.update(named("a"), body({ size: "2" }), WRITE, CALLER);
  expect(done).toEqual([...READ, ...JUDGED, "first commits", "last commits"]);
});

test("a dry run, and an update that changes nothing, stop before anything is done for the write", async () => {
  const { widgets, done } = await told();
  await widgets.create(named(""), body(), { ...WRITE, dryRun: true }, CALLER);
  expect(done.splice(0)).toEqual([...READ, ...JUDGED]);
  await widgets.create(named(""), body(), WRITE, CALLER);
  done.length = 0;
  expect(await widgets.update(named("a"), body(), WRITE, CALLER)).toMatchObject({ changed: false });
  await widgets.update(named("a"), body({ size: "2" }), { ...WRITE, dryRun: true }, CALLER);
  expect(done).toEqual([...READ, ...JUDGED, ...READ, ...JUDGED]);
  expect((await read(widgets, "a"))["spec"]).toBeUndefined();
});

test("a step that waits changes nothing in the order", async () => {
  const { widgets, done } = await told({}, { mutate: () => Promise.resolve(void done.push("last mutates")) });
  await widgets.create(named(""), body(), WRITE, CALLER);
  expect(done).toEqual([...READ, ...JUDGED, "first commits", "last commits"]);
});

test("the rules of the kind judge what admission has made, and admission may refuse what they let pass", async () => {
  const { widgets } = await told(
    {
      validate(object, errors) {
        const { size } = object["spec"] as { size: string };
        if (size === "7") errors.invalid("spec.size", size, "too much");
      },
    },
    {
      mutate({ object }) {
        const { size } = object!["spec"] as { size: string };
        object!["spec"] = { size: `${Number(size) + 1}` };
      },
      validate({ ref, name, object }) {
        if ((object!["spec"] as { size: string }).size === "9") throw forbidden(ref, name, "not nine");
      },
    },
  );
  const create = (size: string) =>
    widgets.create(named(""), body({ size }, { name: `of-${size}` }), WRITE, CALLER).then(
      ({ object }) => object["spec"],
      (error: unknown) => failureOf(error).code,
    );
  expect([await create("1"), await create("6"), await create("8")]).toEqual([{ size: "2" }, 422, 403]);
});

test("a refusal tells the warnings that came before it", async () => {
  const { widgets } = await told({}, { validate: ({ ref, name }) => Promise.reject(forbidden(ref, name, "no")) });
  const refused = failureOf(await widgets.create(named(""), body(), WRITE, CALLER).catch((error: unknown) => error));
  expect([refused.code, refused.warnings]).toEqual([403, ["warning 6"]]);
});

test("rules of a subresource take the place of those of the kind, and nothing is said of it", async () => {
  const { widgets, done } = await told({
    subresources: {
      status: {
        verbs: ["get", "update", "patch"],
        prepareForUpdate(object, old) {
          object["spec"] = old["spec"];
        },
      },
    },
  });
  await widgets.create(named(""), body({ size: "1" }), WRITE, CALLER);
  done.length = 0;
  const sent = bodyOf({ metadata: { name: "a" }, spec: { size: "9" }, status: { phase: "Bound" } });
  const { object, warnings } = await widgets.update(named("a", "status"), sent, WRITE, CALLER);
  expect(object).toMatchObject({ spec: { size: "1" }, status: { phase: "Bound" } });
  expect([warnings, done.filter((what) => ["prepare", "validate"].includes(what))]).toEqual([[], []]);
});
