import { describe, expect, test } from "vitest";
import type { AdmissionStep } from "../../admission/contract.ts";
import { forbidden } from "../../meta/status.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import type { Resource, WriteResult } from "../contract.ts";
import { failureOf } from "../kind/errors.ts";
import { APPLY, CALLER, LIST, WRITE, bodyOf, named, read, registryOf, widget } from "../testing/registry.ts";

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
        verbs: ["get", "patch", "update"],
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

describe("what the path says of an object is not for admission to change", () => {
  type Mutate = NonNullable<AdmissionStep["mutate"]>;
  const namespaces = widget("v1", { group: "", kind: "Namespace", plural: "namespaces", singular: "namespace" });
  const place = (name = "", subresource = "") => ({ namespace: "a", name, subresource });

  /** A kind with objects in namespaces, of which `a/w` is there, and a step that changes what is written from now on. */
  async function changing(mutate: Mutate) {
    const status = { status: { verbs: ["get", "patch", "update"] } } as const;
    let on = false;
    const step: AdmissionStep = { name: "Changes", mutate: (request) => (on ? mutate(request) : undefined) };
    const definitions = [namespaces, widget("v1", { scope: "Namespaced", subresources: status, createOnUpdate: true })];
    const { kinds } = await registryOf(definitions, { steps: [step] });
    for (const name of ["a", "b"]) {
      const resource = kinds.find("", "v1", "namespaces")!;
      await resource.create(named(""), bodyOf({ metadata: { name } }), WRITE, CALLER);
    }
    const widgets = kinds.find("example.com", "v1", "widgets")!;
    const sent = (name: string, x: string) =>
      bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: { x } });
    await widgets.create(place(), sent("w", "0"), WRITE, CALLER);
    on = true;
    const writes: Record<string, () => Promise<WriteResult>> = {
      create: () => widgets.create(place(), sent("new", "1"), WRITE, CALLER),
      "update that creates": () => widgets.update(place("put"), sent("put", "1"), WRITE, CALLER),
      "apply that creates": () => widgets.patch(place("applied"), sent("applied", "1"), APPLY, CALLER),
      update: () => widgets.update(place("w"), sent("w", "1"), WRITE, CALLER),
      patch: () => widgets.patch(place("w"), bodyOf({ spec: { x: "2" } }), { ...APPLY, type: "merge" }, CALLER),
      apply: () => widgets.patch(place("w"), sent("w", "3"), APPLY, CALLER),
      status: () => widgets.update(place("w", "status"), sent("w", "4"), WRITE, CALLER),
    };
    const answers: Record<string, string> = {};
    for (const [what, write] of Object.entries(writes)) {
      answers[what] = await write().then(
        ({ object: { apiVersion, kind, metadata } }) =>
          `${apiVersion} ${kind} ${metadata.namespace}/${metadata.name} ${metadata.managedFields?.length ?? 0}`,
        (error: unknown) => String(failureOf(error).code),
      );
    }
    // What is stored is where it says that it is.
    for (const { key, bytes } of (await widgets.list("", LIST)).entries) {
      const { metadata } = JSON.parse(Buffer.from(bytes).toString()) as ApiObject;
      expect(`${metadata.namespace}/${metadata.name}`).toBe(key);
    }
    return answers;
  }

  const refused = (...but: [string, string][]) => ({
    create: "400",
    "update that creates": "400",
    "apply that creates": "400",
    update: "400",
    patch: "400",
    apply: "400",
    status: "400",
    ...Object.fromEntries(but),
  });

  test("an object does not get into another namespace", async () => {
    expect(await changing(({ object }) => void (object!.metadata.namespace = "b"))).toEqual(refused());
  });

  test("an object that has a name keeps it; one that is created by POST has none yet", async () => {
    const answers = await changing(({ object }) => void (object!.metadata.name = "other"));
    expect(answers).toEqual(refused(["create", "example.com/v1 Widget a/other 1"]));
  });

  test.each<[string, Mutate]>([
    ["kind and apiVersion", ({ object }) => void Object.assign(object!, { kind: "Gadget", apiVersion: "x/v1" })],
    ["a namespace that is taken away", ({ object }) => void delete object!.metadata.namespace],
    [
      "owners that cannot be read",
      ({ object }) => void Object.assign(object!.metadata, { managedFields: [{ manager: "x", fieldsV1: 3 }] }),
    ],
  ])("put back: %s", async (_, mutate) => {
    const answers = Object.entries(await changing(mutate));
    const names: Record<string, string> = {
      create: "new",
      "update that creates": "put",
      "apply that creates": "applied",
    };
    for (const [what, answer] of answers) {
      expect(answer).toMatch(new RegExp(`^example.com/v1 Widget a/${names[what] ?? "w"} [1-4]$`));
    }
  });

  test("a value of another kind is no value of this one", async () => {
    const gadget = { kind: "Gadget", apiVersion: "x/v1", metadata: { name: "w", namespace: "a" } };
    expect(await changing((request) => request.replace(gadget))).toEqual(refused());
  });
});

describe("a name that is generated", () => {
  const generated = bodyOf({ metadata: { generateName: "w-" }, spec: {} });

  test("is given after admission may have changed the object, and is known to what may only refuse it", async () => {
    const names: string[] = [];
    const step: AdmissionStep = {
      name: "Looks",
      mutate: ({ name, shownName }) => void names.push(name, shownName),
      validate: ({ name, shownName }) => void names.push(name, shownName),
    };
    const { kinds } = await registryOf([widget("v1")], { steps: [step] });
    const widgets: Resource = kinds.find("example.com", "v1", "widgets")!;
    const { object } = await widgets.create(named(""), generated, WRITE, CALLER);
    const { name } = object.metadata;
    expect(name).toMatch(/^w-[a-z0-9]{5}$/);
    expect(names).toEqual(["", "w-", name, name]);
  });

  test("is not needed where admission gives the object one", async () => {
    const step: AdmissionStep = { name: "Names", mutate: ({ object }) => void (object!.metadata.name = "given") };
    const { kinds } = await registryOf([widget("v1")], { steps: [step] });
    const widgets: Resource = kinds.find("example.com", "v1", "widgets")!;
    expect((await widgets.create(named(""), generated, WRITE, CALLER)).object.metadata.name).toBe("given");
  });
});
