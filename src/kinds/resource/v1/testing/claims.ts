/**
 * Claims to devices under test.
 *
 * @module
 */
import type { Dialect } from "../../../../meta/dialect.ts";
import type { Gate } from "../../../../meta/gates.ts";
import type { ApiObject } from "../../../../schema/definition.ts";
import { KindUnderTest, type Outcome, contextOf } from "../../../../schema/testing/kind.ts";
import { resourceClaim } from "../resourceclaim.ts";

/** A valid request. */
export const R = { name: "r", exactly: { deviceClassName: "gpu.example.com" } };

/** Claims of one dialect, with some gates set, in a namespace with these labels. */
export class Claims {
  readonly kind: KindUnderTest;

  constructor(
    dialect: Dialect,
    gates: Partial<Record<Gate, boolean>> = {},
    labels: Readonly<Record<string, string>> = {},
  ) {
    const ctx = { ...contextOf(dialect, gates), namespaceLabels: () => labels };
    this.kind = new KindUnderTest(resourceClaim, ctx);
  }

  /** POST of a claim to devices. */
  create(devices: object = { requests: [R] }, more: object = {}): Outcome {
    return this.kind.create({ spec: { devices }, ...more });
  }

  /** The faults of a claim to devices, below `spec.devices`. */
  refused(devices: object): readonly string[] {
    return this.create(devices).causes.map((cause) => cause.replace(" spec.devices.", " "));
  }

  /** The faults of the devices of a request, below it. */
  asked(members: object): readonly string[] {
    const request = { name: "r", exactly: { ...R.exactly, ...members } };
    return this.refused({ requests: [request] }).map((cause) => cause.replace(" requests[0].exactly.", " "));
  }

  /** PUT of a status. */
  report(claim: ApiObject, status: object): Outcome {
    return this.kind.update(claim, { ...claim, status }, "status");
  }

  /** The faults of a status of a claim, below `status`. */
  wrong(claim: ApiObject, status: object): readonly string[] {
    return this.report(claim, status).causes.map((cause) => cause.replace(" status.", " "));
  }
}
