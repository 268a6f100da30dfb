/**
 * Admission of the images of Pods.
 *
 * @module
 */
import { containersOf } from "../kinds/core/v1/pod/containers.ts";
import type { Pod } from "../kinds/core/v1/pod/defaults.ts";
import type { PodSpec } from "../kinds/core/v1/pod/spec-schema.ts";
import { isObject } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";

const PODS = { group: "", plural: "pods" };
const ALWAYS = "Always";

/** Has every image of a Pod pulled again, so that only users with its credentials can use it. */
export const alwaysPullImages: AdmissionStep = {
  name: "AlwaysPullImages",
  resources: [PODS],
  mutate(request) {
    const pod = podOf(request);
    if (!pod) return;
    for (const [container] of containersOf(pod.spec)) container.imagePullPolicy = ALWAYS;
    for (const image of imagesOf(pod.spec)) image["pullPolicy"] = ALWAYS;
  },
  validate(request) {
    const pod = podOf(request);
    const wrong = pod && containersOf(pod.spec).find(([{ imagePullPolicy }]) => imagePullPolicy !== ALWAYS);
    if (!wrong) return;
    const [{ imagePullPolicy = "" }, path] = wrong;
    const field = `${path}.imagePullPolicy`;
    throw refusal(request, `${field}: Unsupported value: "${imagePullPolicy}": supported values: "${ALWAYS}"`);
  },
};

/** A Pod with an image that it did not have; undefined for other requests. */
function podOf(request: AdmissionRequest): Pod | undefined {
  const { subresource, object, old } = request;
  if (subresource !== "" || !concerns(request, PODS) || !isPod(object)) return undefined;
  return isPod(old) && !hasNewImage(object.spec, old.spec) ? undefined : object;
}

function hasNewImage(spec: PodSpec, old: PodSpec): boolean {
  const images = new Set(containersOf(old).map(([{ image }]) => image));
  return containersOf(spec).some(([{ image }]) => !images.has(image));
}

/** The images that are volumes. */
const imagesOf = ({ volumes = [] }: PodSpec): Record<string, unknown>[] =>
  volumes.flatMap(({ image }) => (isObject(image) ? [image] : []));
