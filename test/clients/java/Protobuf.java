import io.kubernetes.client.ProtoClient;
import io.kubernetes.client.ProtoClient.ObjectOrStatus;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;

/** The client that speaks protobuf. */
final class Protobuf implements Main.Play {
  @Override
  public void play(Checks checks, ApiClient client, String namespace) {
    ProtoClient proto = new ProtoClient(client);
    String path = "/api/v1/namespaces/" + namespace + "/configmaps";
    checks.check("create, get, list, delete in protobuf", () -> {
      V1.ConfigMap made = V1.ConfigMap.newBuilder()
          .setMetadata(Meta.ObjectMeta.newBuilder().setName("proto").setNamespace(namespace))
          .putData("a", "1").build();
      ObjectOrStatus<V1.ConfigMap> answer = proto.create(made, path, "v1", "ConfigMap");
      Checks.holds("an object, got " + answer.status, answer.object != null);
      Checks.holds("a uid", !answer.object.getMetadata().getUid().isEmpty());
      ObjectOrStatus<V1.ConfigMap> got = proto.get(V1.ConfigMap.newBuilder(), path + "/proto");
      Checks.same("the data", got.object.getDataMap().get("a"), "1");
      V1.ConfigMap changed = got.object.toBuilder().putData("b", "2").build();
      Checks.same("the changed data", proto.update(changed, path + "/proto", "v1", "ConfigMap").object.getDataCount(), 2);
      ObjectOrStatus<V1.ConfigMapList> list = proto.list(V1.ConfigMapList.newBuilder(), path);
      Checks.holds("it in the list", list.object.getItemsList().stream().anyMatch(one -> one.getMetadata().getName().equals("proto")));
      Checks.same("the status", proto.delete(V1.ConfigMap.newBuilder(), path + "/proto").status.getStatus(), "Success");
    });
  }
}
