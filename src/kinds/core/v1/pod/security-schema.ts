/**
 * The schema of what Pods and containers may do on a node (SUP-5).
 *
 * @module
 */
import { atomicList, bool, int64, optional, pointer, required, struct, text } from "../../../../meta/types.ts";

/** Labels of SELinux. */
export const SELinuxOptions = struct("Labels of SELinux.", {
  user: optional(text("The user label.")),
  role: optional(text("The role label.")),
  type: optional(text("The type label.")),
  level: optional(text("The level label.")),
});

/** What only Windows knows. */
export const WindowsOptions = struct("What only Windows knows.", {
  gmsaCredentialSpecName: pointer(text("Name of the credential spec.")),
  gmsaCredentialSpec: pointer(text("The credential spec itself.")),
  runAsUserName: pointer(text("The user.")),
  hostProcess: pointer(bool("Whether processes run on the host.")),
});

/** Which system calls are allowed. */
export const SeccompProfile = struct("Which system calls are allowed.", {
  type: required(text("`RuntimeDefault`, `Unconfined` or `Localhost`.")),
  localhostProfile: pointer(text("File with the profile on the node, for Localhost.")),
});

/** The AppArmor profile. */
export const AppArmorProfile = struct("The AppArmor profile.", {
  type: required(text("`RuntimeDefault`, `Unconfined` or `Localhost`.")),
  localhostProfile: pointer(text("Name of the profile on the node, for Localhost.")),
});

/** What all containers of a Pod may do. */
export const PodSecurityContext = struct("What all containers of the Pod may do, unless they say so themselves.", {
  seLinuxOptions: pointer(SELinuxOptions),
  windowsOptions: pointer(WindowsOptions),
  runAsUser: pointer(int64("The user id.")),
  runAsGroup: pointer(int64("The group id.")),
  runAsNonRoot: pointer(bool("Whether user 0 is refused.")),
  supplementalGroups: optional(atomicList(int64(), "More group ids.")),
  supplementalGroupsPolicy: pointer(text("`Merge` or `Strict`.")),
  fsGroup: pointer(int64("The group that owns the volumes.")),
  sysctls: optional(
    atomicList(
      struct("A parameter of the kernel.", { name: required(text("Its name.")), value: required(text("Its value.")) }),
      "Parameters of the kernel.",
    ),
  ),
  fsGroupChangePolicy: pointer(text("`OnRootMismatch` or `Always`.")),
  seccompProfile: pointer(SeccompProfile),
  appArmorProfile: pointer(AppArmorProfile),
  seLinuxChangePolicy: pointer(text("`MountOption` or `Recursive`.")),
});
