import com.google.gson.JsonObject;
import io.kubernetes.client.Discovery;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ModelMapper;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Objects of any kind, without types or with types chosen by name, and what kinds there are. */
final class Dynamic implements Main.Play {
  @Override
  public void play(Checks checks, ApiClient client, String namespace) {
    checks.check("objects without types", () -> {
      DynamicKubernetesApi maps = new DynamicKubernetesApi("", "v1", "configmaps", client);
      DynamicKubernetesObject object = new DynamicKubernetesObject();
      object.setApiVersion("v1");
      object.setKind("ConfigMap");
      object.setMetadata(new V1ObjectMeta().name("dynamic").namespace(namespace));
      JsonObject data = new JsonObject();
      data.addProperty("a", "1");
      object.getRaw().add("data", data);
      maps.create(object).throwsApiException();
      DynamicKubernetesObject got = maps.get(namespace, "dynamic").throwsApiException().getObject();
      Checks.same("the data", got.getRaw().getAsJsonObject("data"), data);
      got.getRaw().getAsJsonObject("data").addProperty("b", "2");
      maps.update(got).throwsApiException();
      Checks.same("how many there are", maps.list(namespace, new ListOptions().fieldSelector("metadata.name=dynamic"))
          .throwsApiException().getObject().getItems().size(), 1);
      maps.delete(namespace, "dynamic").throwsApiException();
      Checks.same("the code for what is gone", maps.get(namespace, "dynamic").getHttpStatusCode(), 404);
    });
    checks.check("objects with types chosen by name", () -> {
      GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps =
          new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
      V1ConfigMap made = Typed.configMap("generic", "1");
      made.getMetadata().setNamespace(namespace);
      maps.create(made).throwsApiException();
      V1Patch apply = new V1Patch("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: '2'\n");
      PatchOptions options = new PatchOptions();
      options.setFieldManager("java");
      options.setForce(true);
      V1ConfigMap got = maps.patch(namespace, "generic", V1Patch.PATCH_FORMAT_APPLY_YAML, apply, options)
          .throwsApiException().getObject();
      Checks.same("the data", got.getData(), Map.of("a", "2"));
      maps.delete(namespace, "generic").throwsApiException();
    });
    checks.check("discovery, and models for what is found", () -> {
      Set<String> found = new Discovery(client).findAll().stream()
          .map(Discovery.APIResource::getResourcePlural).collect(Collectors.toSet());
      Checks.holds("configmaps, leases and storageclasses among " + found,
          found.containsAll(Set.of("configmaps", "leases", "storageclasses")));
      ModelMapper.refresh(new Discovery(client));
      Checks.same("the model of claims", ModelMapper.getApiTypeClass("", "v1", "PersistentVolumeClaim").getSimpleName(),
          "V1PersistentVolumeClaim");
    });
  }
}
