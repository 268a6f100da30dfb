import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { benches, wrong } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))(
  "annotations of profiles, %s",
  (_name, bench) => {
    const pods = new Pods(bench);
    const { labelDomain } = bench.dialect;
    const POD = `seccomp.security.alpha.${labelDomain}/pod`;
    const SECCOMP = `container.seccomp.security.alpha.${labelDomain}/c`;
    const APPARMOR = `container.apparmor.security.beta.${labelDomain}/c`;
    const create = (annotations: object, spec: object = {}) => pods.create(spec, { annotations });
    const causes = (annotations: object, spec: object = {}) => wrong(create(annotations, spec), "");
    const secured = (securityContext: object) => ({ containers: [{ ...C, securityContext }] });

    test.each([
      ["runtime/default", true],
      ["docker/default", true],
      ["unconfined", true],
      ["localhost/a/b", true],
      ["localhost//a", false],
      ["localhost/a/../b", false],
      ["other", false],
      ["", false],
    ])("KIND-PodSpec-9: '%s' as a seccomp profile: %s", (profile, fits) => {
      for (const key of [POD, SECCOMP, `${SECCOMP}-of-nobody`]) {
        expect(causes({ [key]: profile })).toEqual(fits ? [] : [`Invalid metadata.annotations.${key}`]);
      }
      const template = wrong(pods.template({}, { annotations: { [POD]: profile } }), "spec.template.");
      expect(template).toEqual(fits ? [] : [`Invalid annotations.${POD}`]);
    });

    test("KIND-PodSpec-9: an AppArmor profile has a form and a container", () => {
      for (const profile of ["", "runtime/default", "unconfined", "localhost/a"]) {
        expect(causes({ [APPARMOR]: profile })).toEqual([]);
      }
      expect(causes({ [APPARMOR]: "other" })).toEqual([`Invalid metadata.annotations[${APPARMOR}]`]);
      expect(causes({ [`${APPARMOR}d`]: "" })).toEqual([`Invalid metadata.annotations[${APPARMOR}d]`]);
      const template = pods.template({}, { annotations: { [`${APPARMOR}d`]: "" } });
      expect(wrong(template, "spec.template.")).toEqual([`Invalid annotations[${APPARMOR}d]`]);
    });

    test.each([
      ["Unconfined", "unconfined", "unconfined", "runtime/default"],
      ["RuntimeDefault", "runtime/default", "docker/default", "localhost/a"],
    ])("KIND-PodSpec-9: the type %s is that of the annotation", (type, one, another, not) => {
      const spec = secured({ seccompProfile: { type } });
      expect(causes({ [SECCOMP]: one }, spec)).toEqual([]);
      expect(causes({ [SECCOMP]: another }, spec)).toEqual([]);
      expect(causes({ [SECCOMP]: not }, spec)).toEqual([
        "Forbidden spec.containers[0].securityContext.seccompProfile.type",
      ]);
      expect(causes({ [POD]: not }, { securityContext: { seccompProfile: { type } } })).toEqual([
        "Forbidden spec.securityContext.seccompProfile.type",
      ]);
      const appArmor = secured({ appArmorProfile: { type } });
      expect(causes({ [APPARMOR]: one }, appArmor)).toEqual([]);
      expect(causes({ [APPARMOR]: not }, appArmor)).toEqual([
        "Forbidden spec.containers[0].securityContext.appArmorProfile.type",
      ]);
    });

    test("KIND-PodSpec-9: a profile of the node is that of the annotation", () => {
      const Localhost = { type: "Localhost", localhostProfile: "a" };
      const spec = secured({ seccompProfile: Localhost, appArmorProfile: Localhost });
      expect(causes({ [SECCOMP]: "localhost/a", [APPARMOR]: "localhost/a" }, spec)).toEqual([]);
      expect(causes({ [SECCOMP]: "localhost/b", [APPARMOR]: "localhost/b" }, spec)).toEqual([
        "Forbidden spec.containers[0].securityContext.appArmorProfile.localhostProfile",
        "Forbidden spec.containers[0].securityContext.seccompProfile.localhostProfile",
      ]);
      const template = pods.refusedTemplate(spec, { annotations: { [APPARMOR]: "localhost/b" } });
      expect(template).toEqual(["Forbidden containers[0].securityContext.appArmorProfile.localhostProfile"]);
    });

    test("KIND-PodSpec-9: what an annotation of AppArmor says becomes the member, with a Warning", () => {
      const profileOf = (annotations: object, spec: object = {}) => {
        const { object, warnings } = create(annotations, spec);
        const [container] = (object["spec"] as { containers: { securityContext?: { appArmorProfile?: object } }[] })
          .containers;
        return [container!.securityContext?.appArmorProfile, warnings.length];
      };
      expect(profileOf({ [APPARMOR]: "unconfined" })).toEqual([{ type: "Unconfined" }, 1]);
      expect(profileOf({ [APPARMOR]: "localhost/a" })).toEqual([{ type: "Localhost", localhostProfile: "a" }, 1]);
      expect(profileOf({ [APPARMOR]: "localhost/ a" })).toEqual([undefined, 1]);
      expect(profileOf({ [APPARMOR]: "" })).toEqual([undefined, 1]);
      const same = { securityContext: { appArmorProfile: { type: "RuntimeDefault" } } };
      expect(profileOf({ [APPARMOR]: "runtime/default" }, same)).toEqual([undefined, 0]);
      expect(profileOf({ [APPARMOR]: "unconfined" }, { os: { name: "windows" } })).toEqual([undefined, 0]);
      const own = secured({ appArmorProfile: { type: "Unconfined" } });
      expect(profileOf({ [APPARMOR]: "unconfined" }, own)).toEqual([{ type: "Unconfined" }, 0]);
    });

    test("KIND-All-13: a template is warned of what annotations alone say, and is left as it is", () => {
      const annotations = { [APPARMOR]: "unconfined", [POD]: "unconfined", [SECCOMP]: "unconfined" };
      const { object, warnings } = pods.template({}, { annotations });
      expect(warnings.map((text) => text.slice(0, text.indexOf(":")))).toEqual([
        `spec.template.metadata.annotations[${POD}]`,
        `spec.template.metadata.annotations[${SECCOMP}]`,
        `spec.template.metadata.annotations[${APPARMOR}]`,
      ]);
      expect(JSON.stringify(object["spec"])).not.toContain("appArmorProfile");
    });

    test("KIND-PodSpec-9: annotations of AppArmor stay", () => {
      const old = create({ [APPARMOR]: "unconfined", a: "b" }).object;
      const change = (annotations: object) =>
        wrong(bench.pod.change(old, { metadata: { ...old.metadata, annotations } }), "metadata.");
      expect(change({ [APPARMOR]: "unconfined" })).toEqual([]);
      expect(change({})).toEqual([`Forbidden annotations[${APPARMOR}]`]);
      expect(change({ [APPARMOR]: "runtime/default" })).toContain(`Forbidden annotations[${APPARMOR}]`);
      const none = create({}).object;
      const added = { ...none.metadata, annotations: { [APPARMOR]: "unconfined" } };
      expect(wrong(bench.pod.change(none, { metadata: added }), "metadata.")).toEqual([
        `Forbidden annotations[${APPARMOR}]`,
      ]);
    });

    test("KIND-PodSpec-8: a Pod that only shows one of its node has no claims", () => {
      const annotations = { [`${labelDomain}/config.mirror`]: "x" };
      const spec = { nodeName: "n", resourceClaims: [{ name: "a", resourceClaimName: "a" }] };
      expect(causes(annotations, spec)).toEqual([pods.strict ? "Forbidden []" : "Forbidden "]);
      expect(pods.refusedTemplate(spec, { annotations })).toEqual([]);
    });
  },
);
