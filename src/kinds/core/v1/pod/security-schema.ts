/**
 * The schema of the security contexts of Pods and containers (SUP-5).
 *
 * @module
 */
import * as t from "../../../../meta/types.ts";

/** Labels of SELinux. */
export const SELinuxOptions = t.struct("Labels of SELinux.", {
  user: t.optional(t.text("The user label.")),
  role: t.optional(t.text("The role label.")),
  type: t.optional(t.text("The type label.")),
  level: t.optional(t.text("The level label.")),
});

/** The members that only Windows has. */
export const WindowsOptions = t.struct("Settings that only Windows has.", {
  gmsaCredentialSpecName: t.pointer(t.text("Name of the credential spec.")),
  gmsaCredentialSpec: t.pointer(t.text("The credential spec itself.")),
  runAsUserName: t.pointer(t.text("The user.")),
  hostProcess: t.pointer(t.bool("Whether processes run on the host.")),
});

/** The seccomp profile: the allowed system calls. */
export const SeccompProfile = t.struct("Which system calls are allowed.", {
  type: t.required(t.text("`RuntimeDefault`, `Unconfined` or `Localhost`.")),
  localhostProfile: t.pointer(t.text("File with the profile on the node, for Localhost.")),
});

/** The AppArmor profile. */
export const AppArmorProfile = t.struct("The AppArmor profile.", {
  type: t.required(t.text("`RuntimeDefault`, `Unconfined` or `Localhost`.")),
  localhostProfile: t.pointer(t.text("Name of the profile on the node, for Localhost.")),
});

/** The security context of a Pod. */
export const PodSecurityContext = t.struct(
  "The security settings of all containers of the Pod, unless they have their own.",
  {
    seLinuxOptions: t.pointer(SELinuxOptions),
    windowsOptions: t.pointer(WindowsOptions),
    runAsUser: t.pointer(t.int64("The user id.")),
    runAsGroup: t.pointer(t.int64("The group id.")),
    runAsNonRoot: t.pointer(t.bool("Whether user 0 is refused.")),
    supplementalGroups: t.optional(t.atomicList(t.int64(), "More group ids.")),
    supplementalGroupsPolicy: t.pointer(t.text("`Merge` or `Strict`.")),
    fsGroup: t.pointer(t.int64("The group that owns the volumes.")),
    sysctls: t.optional(
      t.atomicList(
        t.struct("A parameter of the kernel.", {
          name: t.required(t.text("Its name.")),
          value: t.required(t.text("Its value.")),
        }),
        "Parameters of the kernel.",
      ),
    ),
    fsGroupChangePolicy: t.pointer(t.text("`OnRootMismatch` or `Always`.")),
    seccompProfile: t.pointer(SeccompProfile),
    appArmorProfile: t.pointer(AppArmorProfile),
    seLinuxChangePolicy: t.pointer(t.text("`MountOption` or `Recursive`.")),
  },
);
