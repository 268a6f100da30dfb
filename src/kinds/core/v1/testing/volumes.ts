/**
 * Claims, volumes and pods under test in one dialect, and short functions to try a source.
 *
 * @module
 */
import { type Dialect, VENDOR_MEMBERS, kubernetes, neutral } from "../../../../meta/dialect.ts";
import type { Gate } from "../../../../meta/gates.ts";
import { KindUnderTest, type Outcome, contextOf } from "../../../../schema/testing/kind.ts";
import { persistentVolumeClaim } from "../persistent-volume-claim.ts";
import { persistentVolume } from "../persistent-volume.ts";
import { pod } from "../pod.ts";

type Gates = Partial<Record<Gate, boolean>>;

/** Gates with which all documented features can be tested. */
const OPEN: Gates = {
  VolumeAttributesClass: true,
  ClusterTrustBundleProjection: true,
  PodCertificateRequest: true,
  ImageVolume: true,
};

/** The three kinds in one dialect. */
export class Bench {
  readonly dialect: Dialect;
  readonly pv: KindUnderTest;
  readonly pvc: KindUnderTest;
  readonly pod: KindUnderTest;

  constructor(dialect: Dialect, gates: Gates = OPEN) {
    this.dialect = dialect;
    const ctx = contextOf(dialect, gates);
    this.pv = new KindUnderTest(persistentVolume(ctx), ctx);
    this.pvc = new KindUnderTest(persistentVolumeClaim(ctx), ctx);
    this.pod = new KindUnderTest(pod(ctx), ctx);
  }

  /** Replaces the neutral names of vendor members in a value or a text by those of the dialect. */
  names<T>(value: T): T {
    let text = JSON.stringify(value);
    for (const [name, other] of Object.entries(VENDOR_MEMBERS)) {
      if (this.dialect.name === "kubernetes") text = text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), other);
    }
    return JSON.parse(text) as T;
  }

  /** POST of a volume with a source; it has the sizes and modes that Kubernetes requires. */
  volume(source: object, name = "x"): Outcome {
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...this.names(source) };
    return this.pv.create({ metadata: { name }, spec });
  }

  /** POST of a Pod with one volume called `v`. */
  inline(source: object, name = "x"): Outcome {
    return this.pods([{ name: "v", ...this.names(source) }], name);
  }

  /** POST of a Pod with some volumes. */
  pods(volumes: readonly object[], name = "x"): Outcome {
    const containers = [{ name: "c", image: "i:1" }];
    return this.pod.create({ metadata: { name }, spec: { serviceAccountName: "sa", containers, volumes } });
  }

  /** A source as it is read back, without its member name. */
  readVolume(source: object): unknown {
    return member(this.volume(source).object["spec"], this.names(source));
  }

  /** An inline source as it is read back, without its member name. */
  readInline(source: object): unknown {
    const { volumes } = this.inline(source).object["spec"] as { volumes: object[] };
    return member(volumes[0], this.names(source));
  }
}

const member = (struct: unknown, source: object): unknown =>
  (struct as Record<string, unknown>)[Object.keys(source)[0]!];

/** Both dialects. */
export const benches: readonly Bench[] = [new Bench(neutral), new Bench(kubernetes)];

/** The faults, whose fields begin after `prefix`: `Required path`. */
export const wrong = (outcome: Outcome, prefix: string): readonly string[] =>
  outcome.mismatch === undefined
    ? outcome.causes.map((cause) => cause.replace("FieldValue", "").replace(` ${prefix}`, " "))
    : [`mismatch ${outcome.mismatch}`];
