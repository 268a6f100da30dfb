/**
 * Tests of Pods and templates: the faults of a spec, a container, or a template.
 *
 * @module
 */
import { contextOf, KindUnderTest, type Outcome } from "../../../../schema/testing/kind.ts";
import { otherCoreKinds } from "../index.ts";
import { type Bench, wrong } from "./volumes.ts";

/** A valid container. */
export const C = { name: "c", image: "example.com/i:1" };

/** Pods of one dialect. */
export class Pods {
  readonly strict: boolean;
  readonly #bench: Bench;
  readonly #controllers: KindUnderTest;

  constructor(bench: Bench) {
    this.#bench = bench;
    this.strict = bench.dialect.name === "kubernetes";
    const ctx = contextOf(bench.dialect);
    this.#controllers = KindUnderTest.of(otherCoreKinds, "replicationcontrollers", ctx);
  }

  /** POST of a Pod. */
  create(spec: object = {}, metadata: object = {}): Outcome {
    return this.#bench.pod.create({ metadata: { name: "x", ...metadata }, spec: { containers: [C], ...spec } });
  }

  /** The spec of a Pod as it reads back. */
  read(spec: object = {}): Record<string, unknown> {
    return this.create(spec).object["spec"] as Record<string, unknown>;
  }

  /** The faults of a spec. */
  refused(spec: object, metadata: object = {}): readonly string[] {
    return wrong(this.create(spec, metadata), "spec.");
  }

  /** The faults of a container. */
  container(members: object, spec: object = {}): readonly string[] {
    return this.refused({ ...spec, containers: [{ ...C, ...members }] }).map((cause) =>
      cause.replace("containers[0].", ""),
    );
  }

  /** POST of a ReplicationController whose template has a spec. */
  template(spec: object = {}, metadata: object = {}): Outcome {
    const template = { metadata: { labels: { app: "a" }, ...metadata }, spec: { containers: [C], ...spec } };
    return this.#controllers.create({ spec: { selector: { app: "a" }, template } });
  }

  /** The faults of the spec of a template. */
  refusedTemplate(spec: object, metadata: object = {}): readonly string[] {
    return wrong(this.template(spec, metadata), "spec.template.spec.");
  }
}
