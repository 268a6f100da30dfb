// Package kit is a typical suite of an operator with controller-runtime and envtest. Only the reset between tests is specific to
// Keelson. Run it with `keelson run --control -- go test ./...`.
package kit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/mirrored"

var config *rest.Config

// envtest starts no binaries of its own: USE_EXISTING_CLUSTER is set, and KUBECONFIG says where the cluster is.
func TestMain(m *testing.M) {
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

// mirror keeps a copy of each ConfigMap with a label.
type mirror struct{ client.Client }

func (m *mirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var from corev1.ConfigMap
	if err := m.Get(ctx, request.NamespacedName, &from); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if from.Labels["mirror"] != "yes" {
		return ctrl.Result{}, nil
	}
	to := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: from.Namespace, Name: from.Name + "-mirror"}}
	if !from.DeletionTimestamp.IsZero() {
		if err := client.IgnoreNotFound(m.Delete(ctx, to)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(&from, finalizer)
		return ctrl.Result{}, m.Update(ctx, &from)
	}
	if controllerutil.AddFinalizer(&from, finalizer) {
		return ctrl.Result{}, m.Update(ctx, &from)
	}
	_, err := controllerutil.CreateOrUpdate(ctx, m.Client, to, func() error {
		to.Data = maps.Clone(from.Data)
		return controllerutil.SetControllerReference(&from, to, m.Scheme())
	})
	return ctrl.Result{}, err
}

// world is what a test has: a manager that runs until its end, and a client of its own. The cluster is reset afterwards.
func world(t *testing.T) client.Client {
	t.Helper()
	// Each test has a manager of its own with the same controller, and metrics know names for ever.
	skip := true
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:     scheme.Scheme,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: &skip},
	})
	must(t, err)
	must(t, ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.ConfigMap{}).
		Complete(&mirror{manager.GetClient()}))
	running, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
		reset(t)
	})
	direct, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	return direct
}

// reset resets the cluster to its initial state and removes all faults.
func reset(t *testing.T) { control(t, "reset", "") }

func TestMirrors(t *testing.T) {
	c := world(t)
	must(t, c.Create(t.Context(), asking("said", "one")))
	eventually(t, func() bool { return word(t, c, "said-mirror") == "one" })
	var said corev1.ConfigMap
	must(t, c.Get(t.Context(), key("said"), &said))
	said.Data["word"] = "two"
	must(t, c.Update(t.Context(), &said))
	eventually(t, func() bool { return word(t, c, "said-mirror") == "two" })
	must(t, c.Delete(t.Context(), &said))
	eventually(t, func() bool {
		return errors.IsNotFound(c.Get(t.Context(), key("said"), &said)) && word(t, c, "said-mirror") == ""
	})
}

func TestTheClusterIsResetBetweenTests(t *testing.T) {
	c := world(t)
	must(t, c.Create(t.Context(), asking("said", "three")))
	eventually(t, func() bool { return word(t, c, "said-mirror") == "three" })
}

func TestComesThroughFaults(t *testing.T) {
	c := world(t)
	control(t, "faults", `{"match": {"verb": "create", "kind": "ConfigMap", "name": "said-mirror"}, "fault": "internalError"}`)
	control(t, "faults", `{"match": {"verb": "update", "kind": "ConfigMap", "name": "said"}, "fault": "conflict", "times": 2}`)
	control(t, "faults", `{"match": {"verb": "create", "kind": "ConfigMap", "name": "said-mirror"}, "fault": "dropConnection", "with": {"when": "after"}}`)
	must(t, c.Create(t.Context(), asking("said", "one")))
	eventually(t, func() bool { return word(t, c, "said-mirror") == "one" })
}

func asking(name, says string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"mirror": "yes"}},
		Data:       map[string]string{"word": says},
	}
}

func key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "default", Name: name}
}

func word(t *testing.T, c client.Client, name string) string {
	t.Helper()
	var found corev1.ConfigMap
	must(t, client.IgnoreNotFound(c.Get(t.Context(), key(name), &found)))
	return found.Data["word"]
}

func eventually(t *testing.T, check func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !check(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about in time")
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// control sends a request to the testing API of the cluster.
func control(t *testing.T, what, body string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	asker := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer asker.CloseIdleConnections()
	request, err := http.NewRequest(http.MethodPost, os.Getenv("KEELSON_URL")+"/keelson/v1/testing/"+what, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("KEELSON_TOKEN"))
	answer, err := asker.Do(request)
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("expected %s to be done, got %s", what, answer.Status)
	}
}
