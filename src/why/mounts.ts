/** Who can act on an error of the agent of a node about a volume, by the source of the volume. */
import type { Pod } from "../client/kinds/index.ts";
import { textOf } from "./facts.ts";
import { whoCanRepair } from "./refusals.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** Returns who can act; the message names the volume as `volume "NAME"`. */
export function whoCanRepairOnNode(message: string, node: string, pod: Pod): string {
  const volume = pod.spec.volumes?.find(({ name }) => message.includes(`volume ${JSON.stringify(name)}`));
  const own = volume && whoCanRepairVolume(volume, node, pod);
  const otherwise = own ?? `a user who changes ${textOf(pod)}, or repairs it on the node ${node}`;
  const driver = volume?.csi?.driver ?? `the driver on the node ${node}`;
  return whoCanRepair(message, { asks: textOf(pod), driver, otherwise });
}

function whoCanRepairVolume(volume: Volume, node: string, { metadata: { namespace = "" } }: Pod): string | undefined {
  const { hostPath, image, configMap, secret, persistentVolumeClaim: claim, nfs, csi } = volume;
  if (hostPath) {
    const what = hostPath.type || "path";
    return `an administrator who provides the ${what} ${hostPath.path} on the node ${node}, or changes the type of the hostPath`;
  }
  if (image)
    return `an administrator who provides the image ${image.reference ?? ""} on the node ${node}, or an agent that can`;
  if (configMap) return `a user who changes the ConfigMap ${namespace}/${configMap.name ?? ""}`;
  if (secret) return `a user who changes the Secret ${namespace}/${secret.secretName ?? ""}`;
  if (claim)
    return `a user who changes the claim ${namespace}/${claim.claimName} or its volume, or repairs it on the node ${node}`;
  if (nfs) return `the operator of the server ${nfs.server}`;
  return csi && `the operator of the driver ${csi.driver} on the node ${node}`;
}
