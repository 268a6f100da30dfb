// Package workloads is a suite of envtest with an operator that waits for a StatefulSet. The environment variable KEELSON_NODES gives
// it nodes, so that the StatefulSet has Pods; nothing else here knows of Keelson.
package workloads

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var config *rest.Config

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	environment := &envtest.Environment{}
	var err error
	if config, err = environment.Start(); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := environment.Stop(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// A database is a ConfigMap with a version and the phase that the operator writes.
type operator struct{ client.Client }

func (o *operator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var database corev1.ConfigMap
	if err := o.Get(ctx, request.NamespacedName, &database); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	image := "db:" + database.Data["version"]
	labels := map[string]string{"database": database.Name}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: database.Namespace, Name: database.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, o, set, func() error {
		set.Spec.Replicas = ptr.To(int32(3))
		set.Spec.ServiceName = database.Name
		set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		set.Spec.Template.Labels = labels
		if len(set.Spec.Template.Spec.Containers) == 0 {
			set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "db"}}
		}
		set.Spec.Template.Spec.Containers[0].Image = image
		set.Spec.Template.Annotations = nil
		if database.Data["broken"] == "true" {
			// The containers of this version end at once.
			set.Spec.Template.Annotations = map[string]string{
				"simulation.keelson.dev/run-for": "1s", "simulation.keelson.dev/exit-code": "1",
				"simulation.keelson.dev/ready-after": "1h",
			}
		}
		return controllerutil.SetControllerReference(&database, set, o.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	phase := "Progressing"
	status := set.Status
	if status.ObservedGeneration == set.Generation && status.ReadyReplicas == 3 && status.UpdatedReplicas == 3 {
		phase = "Ready"
	}
	if phase == database.Data["phase"] && image == database.Data["image"] {
		return ctrl.Result{}, nil
	}
	database.Data["phase"], database.Data["image"] = phase, image
	return ctrl.Result{}, o.Update(ctx, &database)
}

func TestAnOperatorWaitsForItsStatefulSet(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&appsv1.StatefulSet{}).
		Complete(&operator{manager.GetClient()})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()

	direct, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: "default", Name: "db"}
	database := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{"a": "b"}},
		Data:       map[string]string{"version": "1"},
	}
	if err := direct.Create(ctx, database); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the database is ready", func() bool { return phaseOf(ctx, direct, key) == "db:1 Ready" })
	upgrade(ctx, t, direct, key, map[string]string{"version": "2"})
	eventually(t, "the upgrade is ready", func() bool { return phaseOf(ctx, direct, key) == "db:2 Ready" })
	for _, name := range []string{"db-0", "db-1", "db-2"} {
		var pod corev1.Pod
		if err := direct.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, &pod); err != nil {
			t.Fatal(err)
		}
		if image := pod.Spec.Containers[0].Image; image != "db:2" || pod.Spec.NodeName == "" {
			t.Fatalf("expected %s to run db:2 on a node, got %s on %q", name, image, pod.Spec.NodeName)
		}
	}

	upgrade(ctx, t, direct, key, map[string]string{"version": "3", "broken": "true"})
	eventually(t, "the failed upgrade stops at the last Pod", func() bool {
		var pod corev1.Pod
		err := direct.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: "db-2"}, &pod)
		if err != nil || len(pod.Status.ContainerStatuses) == 0 {
			return false
		}
		waiting := pod.Status.ContainerStatuses[0].State.Waiting
		return waiting != nil && waiting.Reason == "CrashLoopBackOff"
	})
	var set appsv1.StatefulSet
	if err := direct.Get(ctx, key, &set); err != nil {
		t.Fatal(err)
	}
	if set.Status.ReadyReplicas != 2 || phaseOf(ctx, direct, key) != "db:3 Progressing" {
		t.Fatalf("expected 2 ready replicas and a database that progresses, got %+v, %s", set.Status, phaseOf(ctx, direct, key))
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func upgrade(ctx context.Context, t *testing.T, c client.Client, key client.ObjectKey, data map[string]string) {
	t.Helper()
	var database corev1.ConfigMap
	if err := c.Get(ctx, key, &database); err != nil {
		t.Fatal(err)
	}
	before := database.DeepCopy()
	for name, value := range data {
		database.Data[name] = value
	}
	if err := c.Patch(ctx, &database, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

func phaseOf(ctx context.Context, c client.Client, key client.ObjectKey) string {
	var database corev1.ConfigMap
	if err := c.Get(ctx, key, &database); err != nil {
		return err.Error()
	}
	return database.Data["image"] + " " + database.Data["phase"]
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("expected that %s", what)
}
