/**
 * Carries out the steps of a scenario.
 *
 * @module
 */
import {
  type Key,
  type KindName,
  type Manifest,
  type MergePatch,
  type NewObject,
  ResourceClient,
  type UntypedObject,
  apiVersionOf,
} from "../../client/index.ts";
import { readManifests } from "../../client/manifests.ts";
import { type Duration, millisOf } from "../../util/duration.ts";
import type { TestCluster } from "../test-cluster.ts";
import type { DataStep, Step, StepObject } from "./scenario.ts";

type Sources = string | Manifest | readonly (string | Manifest)[];

/** The name of a step for reports: its own, or its action. */
export function nameOfStep(step: Step, index: number): string {
  if (step.name) return step.name;
  if (typeof step === "function" || "do" in step) return `step ${index + 1}`;
  if ("wait" in step) return `wait ${step.wait}`;
  if ("patch" in step) return `patch ${textOf(step.patch)}`;
  if ("delete" in step) return `delete ${textOf(step.delete)}`;
  if ("create" in step) return `create ${textOfSources(step.create)}`;
  return `apply ${textOfSources(step.apply)}`;
}

const textOf = ({ kind, name }: StepObject): string => `${kind} ${name}`;

function textOfSources(sources: Sources): string {
  const texts = ([sources].flat() as (string | Manifest)[]).flatMap((source) => {
    // A text with several lines is no name of a file.
    if (typeof source === "string" && !source.includes("\n") && !source.startsWith("{")) return [source];
    return readManifests(source).map(({ manifest }) => textOf({ ...manifest, name: manifest.metadata.name }));
  });
  return texts.join(", ");
}

/** Carries out a step; `pass` moves the time. @throws the error of a refused action */
export async function perform(
  step: Step,
  cluster: TestCluster,
  pass: (time: Duration) => Promise<void>,
): Promise<void> {
  if (typeof step === "function") await step(cluster);
  else if ("do" in step) await step.do(cluster);
  else if ("wait" in step) await pass(millisOf(step.wait));
  else await write(step, cluster);
}

async function write(step: Exclude<DataStep, { readonly wait: Duration }>, cluster: TestCluster): Promise<void> {
  if ("apply" in step) {
    await cluster.apply(...([step.apply].flat() as (string | Manifest)[]));
    return;
  }
  if ("create" in step) {
    const manifests = ([step.create].flat() as (string | Manifest)[]).flatMap((source) => readManifests(source));
    for (const { manifest } of manifests) await create(manifest, cluster);
    return;
  }
  const target = "patch" in step ? step.patch : step.delete;
  const resource = await resourceOf(target, cluster);
  const key = keyOf(target, resource);
  if ("patch" in step) {
    const { subresource, with: change } = step.patch;
    const verbs = subresource === undefined ? resource : resource.subresource(subresource);
    await verbs.patch(key, change as MergePatch<UntypedObject>);
  } else {
    const { propagationPolicy } = step.delete;
    await resource.delete(key, propagationPolicy ? { propagationPolicy } : {});
  }
}

/** The verbs of a kind; one that is served is found without a request. */
async function resourceOf(
  { apiVersion, kind }: KindName,
  cluster: TestCluster,
): Promise<ResourceClient<UntypedObject>> {
  const { resources } = cluster.inside.registry;
  const found = resources.find(({ definition: one }) => one.kind === kind && apiVersionOf(one) === apiVersion);
  const client = cluster.client();
  return found ? new ResourceClient<UntypedObject>(client, found.definition) : client.resource({ apiVersion, kind });
}

async function create({ apiVersion, kind, ...object }: Manifest, cluster: TestCluster): Promise<void> {
  const resource = await resourceOf({ apiVersion, kind }, cluster);
  const isNamespaced = resource.kind.scope === "Namespaced";
  const metadata = { ...(isNamespaced && { namespace: "default" }), ...object.metadata };
  await resource.create({ ...object, metadata } as NewObject<UntypedObject>);
}

const keyOf = ({ name, namespace }: StepObject, { kind }: ResourceClient<UntypedObject>): Key =>
  kind.scope === "Namespaced" ? { namespace: namespace ?? "default", name } : { name };
