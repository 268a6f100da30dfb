/** Two servers that write one object at the same time. */
import { expect, test } from "vitest";
import { hasReason } from "../../meta/status.ts";
import { APPLY, CALLER, WRITE, bodyOf, named, twoServers, widget } from "../testing/registry.ts";

const target = named("c");
const body = (value: string) =>
  bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "c" }, spec: { value } });

test("APPLY-1: an apply of what another server deletes meanwhile creates it again", async () => {
  const { one, other, around } = await twoServers(widget("v1"));
  await one.create(target, body("0"), WRITE, CALLER);
  around.before = () => other.delete(target, { dryRun: false }, CALLER);
  const applied = await one.patch(target, body("1"), APPLY, CALLER);
  expect([applied.code, applied.object["spec"]]).toEqual([201, { value: "1" }]);
});

test("APPLY-1: an apply of what another server creates meanwhile changes it", async () => {
  const { one, other, around } = await twoServers(widget("v1"));
  around.before = () => other.create(target, body("0"), WRITE, CALLER);
  const applied = await one.patch(target, body("1"), APPLY, CALLER);
  expect([applied.code, applied.object["spec"]]).toEqual([200, { value: "1" }]);
});

test("a write that another server follows at once is answered with what it wrote itself, under its own version", async () => {
  const { one, other, around } = await twoServers(widget("v1"));
  const follow = (): Promise<unknown> => other.update(target, body("of the other"), WRITE, CALLER);
  const remove = (): Promise<unknown> => other.delete(target, { dryRun: false }, CALLER);
  around.after = follow;
  const created = await one.create(target, body("1"), WRITE, CALLER);
  around.after = follow;
  const updated = await one.update(target, body("2"), WRITE, CALLER);
  around.after = remove;
  const last = await one.update(target, body("3"), WRITE, CALLER);
  around.after = remove;
  const gone = await one.create(target, body("4"), WRITE, CALLER);
  const answers = [created, updated, last, gone];
  expect(answers.map(({ object }) => object["spec"])).toEqual(["1", "2", "3", "4"].map((value) => ({ value })));
  const versions = answers.map(({ object }) => Number(object.metadata.resourceVersion));
  expect(versions.map((version) => version - versions[0]!)).toEqual([0, 2, 4, 6]);
  expect(
    answers.map(({ bytes }) => Number(JSON.parse(Buffer.from(bytes).toString()).metadata.resourceVersion)),
  ).toEqual(versions);
});

test("an update that loses to another server is tried again on what that one wrote, and tells its warnings once", async () => {
  const seen: unknown[] = [];
  const loud = widget("v1", {
    warnings(object, old) {
      seen.push(old?.["spec"]);
      return [`of ${JSON.stringify(object["spec"])}`];
    },
  });
  const { one, other, around } = await twoServers(loud);
  await one.create(target, body("0"), WRITE, CALLER);
  around.before = () => other.update(target, body("1"), WRITE, CALLER);
  seen.length = 0;
  const { warnings, object } = await one.update(target, body("2"), WRITE, CALLER);
  expect(seen).toEqual([{ value: "0" }, { value: "0" }, { value: "1" }]);
  expect([warnings, object["spec"]]).toEqual([[`of {"value":"2"}`], { value: "2" }]);
});

test("DEC-31: an update of a version that another server replaces meanwhile is a conflict", async () => {
  const { one, other, around } = await twoServers(widget("v1"));
  const { object } = await one.create(target, body("0"), WRITE, CALLER);
  around.before = () => other.update(target, body("1"), WRITE, CALLER);
  const versioned = bodyOf({ ...object, spec: { value: "2" } });
  const refused = await one.update(target, versioned, WRITE, CALLER).catch((error: unknown) => error);
  expect(hasReason(refused, "Conflict")).toBe(true);
});

test("an update of what another server deletes meanwhile finds nothing", async () => {
  const { one, other, around } = await twoServers(widget("v1"));
  await one.create(target, body("0"), WRITE, CALLER);
  around.before = () => other.delete(target, { dryRun: false }, CALLER);
  const refused = await one.update(target, body("1"), WRITE, CALLER).catch((error: unknown) => error);
  expect(hasReason(refused, "NotFound")).toBe(true);
});

test("a writer that is slower twelve times in a row gets an error, and none waits for ever", async () => {
  const { one, other, around } = await twoServers(widget("v1"));
  await one.create(target, body("0"), WRITE, CALLER);
  let faster = 0;
  const overtake = async (): Promise<void> => {
    await other.update(target, body(`other ${++faster}`), WRITE, CALLER);
    around.before = overtake;
  };
  around.before = overtake;
  const refused = await one.update(target, body("mine"), WRITE, CALLER).catch((error: unknown) => error);
  expect([hasReason(refused, "Conflict"), faster]).toEqual([true, 12]);
});
