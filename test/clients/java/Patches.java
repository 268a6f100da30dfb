import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ManagedFieldsEntry;
import io.kubernetes.client.util.PatchUtils;
import java.util.Map;

/** Patches of every kind, server-side apply among them. */
final class Patches implements Main.Play {
  @Override
  public void play(Checks checks, ApiClient client, String namespace) throws ApiException {
    CoreV1Api core = new CoreV1Api(client);
    core.createNamespacedConfigMap(namespace, Typed.configMap("patched", "1")).execute();
    Patch patch = (format, text) -> PatchUtils.patch(V1ConfigMap.class,
        () -> core.patchNamespacedConfigMap("patched", namespace, new V1Patch(text)).buildCall(null), format, client);

    checks.check("JSON patch", () -> Checks.same("the data",
        patch.send(V1Patch.PATCH_FORMAT_JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"2\"}]").getData(),
        Map.of("a", "1", "b", "2")));
    checks.check("merge patch", () -> Checks.same("the data",
        patch.send(V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, "{\"data\":{\"a\":null}}").getData(), Map.of("b", "2")));
    checks.check("strategic merge patch", () -> Checks.same("the finalizers",
        patch.send(V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, "{\"metadata\":{\"finalizers\":[\"example.com/f\"]}}")
            .getMetadata().getFinalizers().size(), 1));
    checks.check("server-side apply", () -> {
      Apply apply = (manager, force, data) -> PatchUtils.patch(V1ConfigMap.class,
          () -> core.patchNamespacedConfigMap("applied", namespace, new V1Patch(
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"applied\"},\"data\":" + data + "}"))
              .fieldManager(manager).force(force).buildCall(null),
          V1Patch.PATCH_FORMAT_APPLY_YAML, client);
      apply.send("one", false, "{\"a\":\"1\",\"b\":\"2\"}");
      apply.send("two", false, "{\"c\":\"3\"}");
      V1ConfigMap got = apply.send("one", false, "{\"a\":\"1\"}");
      Checks.same("the data", got.getData(), Map.of("a", "1", "c", "3"));
      Checks.refused(409, () -> apply.send("two", false, "{\"a\":\"two's\",\"c\":\"3\"}"));
      got = apply.send("two", true, "{\"a\":\"two's\",\"c\":\"3\"}");
      Checks.same("the data", got.getData(), Map.of("a", "two's", "c", "3"));
      V1ManagedFieldsEntry owner = got.getMetadata().getManagedFields().get(0);
      Checks.same("how it is owned", owner.getOperation(), "Apply");
      Checks.holds("fields that are owned", owner.getFieldsV1() != null);
    });
  }

  /** A patch in a format. */
  interface Patch {
    V1ConfigMap send(String format, String text) throws ApiException;
  }

  /** An apply of data by a manager. */
  interface Apply {
    V1ConfigMap send(String manager, boolean force, String data) throws ApiException;
  }
}
