/**
 * Field ownership without a server: two teams and an operator share one object.
 *
 * Run: `node examples/apply.ts`
 */
import { applyIntent, conflictMessage, recordUpdate, singleVersion, typeOf, withEntries } from "../src/apply/index.ts";
import type { ApplyOutcome } from "../src/apply/index.ts";

const type = typeOf({
  type: "object",
  properties: {
    kind: { type: "string" },
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        settings: { type: "object", additionalProperties: { type: "string" } },
        backends: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", properties: { name: { type: "string" }, url: { type: "string" } } },
        },
      },
    },
  },
});

const context = {
  converter: singleVersion("v1", type),
  apiVersion: "v1",
  zero: {},
  time: "2030-01-01T00:00:00Z",
  rules: { emptied: "absent" },
} as const;

function show(title: string, outcome: ApplyOutcome): void {
  console.log(`\n# ${title}`);
  if (outcome.kind === "conflicts") return console.log(conflictMessage(outcome.conflicts));
  if (outcome.kind === "invalid") return console.log(outcome.faults);
  console.log(JSON.stringify(outcome.object));
  for (const { manager, operation, fieldsV1 } of outcome.managedFields) {
    console.log(`  ${manager} (${operation}): ${JSON.stringify(fieldsV1)}`);
  }
}

// The shop team applies its fields; the object does not exist yet.
const shop = {
  kind: "Service",
  spec: { settings: { color: "red" }, backends: [{ name: "shop", url: "http://shop" }] },
};
const created = applyIntent({ ...context, manager: "shop", live: undefined, intent: shop });
show("the shop team applies", created);
if (created.kind !== "applied") throw new Error("the first apply cannot conflict");
let live = withEntries(created.object, created.managedFields);

// The billing team adds its backend to the same list, without a conflict.
const billing = { kind: "Service", spec: { backends: [{ name: "billing", url: "http://billing" }] } };
const added = applyIntent({ ...context, manager: "billing", live, intent: billing });
show("the billing team adds a backend", added);
if (added.kind !== "applied") throw new Error("different entries do not conflict");
live = withEntries(added.object, added.managedFields);

// An operator updates the object. Updates always succeed, and own the fields that they change.
const edited = {
  ...(live as object),
  spec: { replicas: 3, settings: { color: "blue" }, backends: shop.spec.backends },
};
const updated = JSON.parse(JSON.stringify(edited)) as typeof live;
live = withEntries(updated, recordUpdate({ ...context, manager: "operator", live, updated }));

// The shop team applies its old intent again, which would revert the operator's edit: a conflict.
show("the shop team applies again", applyIntent({ ...context, manager: "shop", live, intent: shop }));

// It can force its value, or leave the field out and keep the operator's value.
show("with force", applyIntent({ ...context, manager: "shop", live, intent: shop, force: true }));
const modest = { ...shop, spec: { backends: shop.spec.backends } };
show("without the color", applyIntent({ ...context, manager: "shop", live, intent: modest }));
