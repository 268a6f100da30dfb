/**
 * A definition of a megabyte: a Pod for each of many roles.
 *
 * @module
 */
import { type Sample, sample } from "./sample.ts";
import { podTemplate } from "./shapes/pods.ts";
import { type Json, int32, object } from "./words.ts";

const ROLES = 8;

const role = object({ replicas: int32({ default: 1, minimum: 0 }), template: podTemplate });
const name = (i: number): string => `role${i}`;
const roles: Json = Object.fromEntries(Array.from({ length: ROLES }, (_, i) => [name(i), role]));
const container = { name: "c", image: "i", ports: [{ containerPort: 80 }] };

/** The definition, an object that fits it and one that does not. */
export const largest = (): Sample =>
  sample({
    of: "a megabyte",
    group: "large.example.com",
    kind: "Everything",
    plural: "everythings",
    versions: [{ name: "v1", members: { spec: object(roles) }, more: { subresources: { status: {} } } }],
    valid: { spec: { [name(7)]: { template: { spec: { containers: [container] } } } } },
    becomes: {
      spec: {
        [name(7)]: {
          replicas: 1,
          template: { spec: { containers: [{ ...container, ports: [{ containerPort: 80, protocol: "TCP" }] }] } },
        },
      },
    },
    misfits: [
      {
        why: "with fewer than none",
        body: { spec: { [name(3)]: { replicas: -1, template: { spec: {} } } } },
        causes: [
          `FieldValueInvalid spec.${name(3)}.replicas`,
          `FieldValueRequired spec.${name(3)}.template.spec.containers`,
        ],
      },
    ],
  });
