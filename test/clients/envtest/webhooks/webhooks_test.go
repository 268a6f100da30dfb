// Package webhooks is a suite of an operator with webhooks as kubebuilder lays one out: envtest installs the configurations,
// a manager serves the webhooks. Nothing here knows of Keelson.
package webhooks

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var (
	direct     client.Client
	restConfig *rest.Config
	warnings   warningList
	asked      reviewList
	crates     = schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Crate"}
)

// warningList collects the warnings that a client is given.
type warningList struct {
	mutex sync.Mutex
	texts []string
}

func (w *warningList) HandleWarningHeader(_ int, _ string, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warningList) has(text string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, one := range w.texts {
		if one == text {
			return true
		}
	}
	return false
}

// reviewList remembers what the webhooks were asked.
type reviewList struct {
	mutex    sync.Mutex
	requests []admission.Request
}

func (r *reviewList) add(request admission.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.requests = append(r.requests, request)
}

func (r *reviewList) find(is func(admission.Request) bool) *admission.Request {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i := range r.requests {
		if is(r.requests[i]) {
			return &r.requests[i]
		}
	}
	return nil
}

// defaulter gives crates a colour.
type defaulter struct{}

func (defaulter) Default(_ context.Context, crate *unstructured.Unstructured) error {
	if colour, _, _ := unstructured.NestedString(crate.Object, "spec", "colour"); colour == "rainbow" {
		return fmt.Errorf("a rainbow is no colour")
	}
	annotations := crate.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["shop.example.com/seen"] = "yes"
	crate.SetAnnotations(annotations)
	return nil
}

// validator refuses, warns and lets pass, as names and members say.
type validator struct{}

func (validator) ValidateCreate(_ context.Context, crate *unstructured.Unstructured) (admission.Warnings, error) {
	if strings.HasPrefix(crate.GetName(), "forbidden") {
		return nil, fmt.Errorf("forbidden crates are not sold")
	}
	if crate.GetAnnotations()["shop.example.com/seen"] != "yes" {
		return nil, fmt.Errorf("it was not seen by the defaulter")
	}
	return admission.Warnings{"crates are heavy"}, nil
}

func (validator) ValidateUpdate(_ context.Context, old, crate *unstructured.Unstructured) (admission.Warnings, error) {
	before, _, _ := unstructured.NestedInt64(old.Object, "spec", "bottles")
	after, _, _ := unstructured.NestedInt64(crate.Object, "spec", "bottles")
	if after < before {
		return nil, errors.NewInvalid(crates.GroupKind(), crate.GetName(), nil)
	}
	return nil, nil
}

func (validator) ValidateDelete(_ context.Context, crate *unstructured.Unstructured) (admission.Warnings, error) {
	if crate.GetLabels()["keep"] != "" {
		return nil, fmt.Errorf("it is to be kept")
	}
	return nil, nil
}

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{"definitions"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			Paths:              []string{"webhooks/config"},
			ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{many()},
		},
	}
	config, err := environment.Start()
	if err != nil {
		panic(err)
	}
	restConfig = config
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	if err := serve(ctx, config, environment.WebhookInstallOptions, stopped); err != nil {
		panic(err)
	}
	code := m.Run()
	cancel()
	<-stopped
	if err := environment.Stop(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// many is a configuration with the 43 webhooks that a large operator has.
func many() *admissionregistrationv1.ValidatingWebhookConfiguration {
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "many"}}
	for i := range 43 {
		configuration.Webhooks = append(configuration.Webhooks, admissionregistrationv1.ValidatingWebhook{
			Name:                    fmt.Sprintf("v%d.many.example.com", i),
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				Service: &admissionregistrationv1.ServiceReference{Name: "webhook-service", Namespace: "system", Path: ptr.To("/count")},
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		})
	}
	return configuration
}

// serve starts a manager with the webhooks, and waits until they answer.
func serve(ctx context.Context, config *rest.Config, options envtest.WebhookInstallOptions, stopped chan<- struct{}) error {
	config = rest.CopyConfig(config)
	config.WarningHandler = &warnings
	var err error
	if direct, err = client.New(config, client.Options{}); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		return err
	}
	register(manager)
	go func() {
		defer close(stopped)
		if err := manager.Start(ctx); err != nil {
			panic(err)
		}
	}()
	address := fmt.Sprintf("%s:%d", options.LocalServingHost, options.LocalServingPort)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		connection, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			return connection.Close()
		}
		if time.Now().After(end) {
			return err
		}
	}
}

func register(manager ctrl.Manager) {
	server, scheme := manager.GetWebhookServer(), manager.GetScheme()
	remembered := func(handler admission.Handler) *admission.Webhook {
		return &admission.Webhook{Handler: admission.HandlerFunc(func(ctx context.Context, request admission.Request) admission.Response {
			asked.add(request)
			return handler.Handle(ctx, request)
		})}
	}
	server.Register("/mutate-crate", remembered(admission.WithDefaulter[*unstructured.Unstructured](scheme, defaulter{}).Handler))
	server.Register("/validate-crate", remembered(admission.WithValidator[*unstructured.Unstructured](scheme, validator{}).Handler))
	allow := admission.HandlerFunc(func(context.Context, admission.Request) admission.Response { return admission.Allowed("") })
	server.Register("/validate-scale", remembered(admission.HandlerFunc(func(_ context.Context, request admission.Request) admission.Response {
		if strings.Contains(string(request.Object.Raw), `"replicas":13`) {
			return admission.Errored(http.StatusTeapot, fmt.Errorf("thirteen is too many"))
		}
		return admission.Allowed("").WithWarnings("it was scaled")
	})))
	server.Register("/validate-autoscaler", remembered(allow))
	server.Register("/count", remembered(allow))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// says fails the test unless an error has a code and these words.
func says(t *testing.T, err error, code int32, words string) {
	t.Helper()
	status, ok := err.(errors.APIStatus)
	if !ok {
		t.Fatalf("expected a status, got %v", err)
	}
	if status.Status().Code != code || err.Error() != words {
		t.Fatalf("expected %d %q, got %d %q", code, words, status.Status().Code, err.Error())
	}
}

func crate(name string, bottles int64) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"bottles": bottles}}}
	made.SetGroupVersionKind(crates)
	made.SetNamespace("default")
	made.SetName(name)
	return made
}

func TestWhatAWebhookPutsInIsStoredAndOwnedByNobody(t *testing.T) {
	made := crate("stamped", 3)
	must(t, direct.Create(t.Context(), made, client.FieldOwner("shopkeeper")))
	if made.GetAnnotations()["shop.example.com/seen"] != "yes" {
		t.Fatalf("expected the annotation of the webhook, got %v", made.GetAnnotations())
	}
	fields := string(made.GetManagedFields()[0].FieldsV1.Raw)
	if len(made.GetManagedFields()) != 1 || strings.Contains(fields, "shop.example.com/seen") || !strings.Contains(fields, "f:bottles") {
		t.Fatalf("expected the writer to own what was sent alone, got %v", made.GetManagedFields())
	}
	if !warnings.has("crates are heavy") {
		t.Fatalf("expected the warning of the webhook, got %v", warnings.texts)
	}
	request := asked.find(func(r admission.Request) bool { return r.Name == "stamped" && r.Operation == "CREATE" })
	if request == nil || request.Kind.Kind != "Crate" || request.Resource.Resource != "crates" || request.UserInfo.Username == "" {
		t.Fatalf("expected the whole request, got %v", request)
	}
}

func TestRefusalsHaveTheWordsThatSuitesCompare(t *testing.T) {
	says(t, direct.Create(t.Context(), crate("forbidden-one", 3)), 403,
		`admission webhook "vcrate.shop.example.com" denied the request: forbidden crates are not sold`)
	rainbow := crate("rainbow", 3)
	must(t, unstructured.SetNestedField(rainbow.Object, "rainbow", "spec", "colour"))
	says(t, direct.Create(t.Context(), rainbow), 403,
		`admission webhook "mcrate.shop.example.com" denied the request: a rainbow is no colour`)
}

func TestARefusalKeepsCodeAndReasonOfTheWebhook(t *testing.T) {
	made := crate("shrinking", 3)
	must(t, direct.Create(t.Context(), made))
	must(t, unstructured.SetNestedField(made.Object, int64(2), "spec", "bottles"))
	err := direct.Update(t.Context(), made)
	if !errors.IsInvalid(err) || !strings.HasPrefix(err.Error(), `admission webhook "vcrate.shop.example.com" denied the request: `) {
		t.Fatalf("expected Invalid in the name of the webhook, got %v", err)
	}
}

func TestDeletesAreRefusedToo(t *testing.T) {
	made := crate("kept", 3)
	made.SetLabels(map[string]string{"keep": "yes"})
	must(t, direct.Create(t.Context(), made))
	says(t, direct.Delete(t.Context(), made), 403,
		`admission webhook "vcrate.shop.example.com" denied the request: it is to be kept`)
	made.SetLabels(nil)
	must(t, direct.Update(t.Context(), made))
	must(t, direct.Delete(t.Context(), made))
}

func TestStatusIsReviewedWhereARuleNamesIt(t *testing.T) {
	made := crate("full", 3)
	must(t, direct.Create(t.Context(), made))
	must(t, unstructured.SetNestedField(made.Object, true, "status", "full"))
	must(t, direct.Status().Update(t.Context(), made))
	if asked.find(func(r admission.Request) bool { return r.Name == "full" && r.SubResource == "status" }) == nil {
		t.Fatal("expected a review of the status")
	}
}

func TestADryRunIsToldToTheWebhook(t *testing.T) {
	must(t, direct.Create(t.Context(), crate("tried", 3), client.DryRunAll))
	request := asked.find(func(r admission.Request) bool { return r.Name == "tried" })
	if request == nil || request.DryRun == nil || !*request.DryRun {
		t.Fatalf("expected a review that says dry run, got %v", request)
	}
}

func TestScaleIsReviewedOfEveryResource(t *testing.T) {
	labels := map[string]string{"app": "web"}
	made := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "scaled"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
			},
		},
	}
	must(t, direct.Create(t.Context(), made))
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 13}}
	err := direct.SubResource("scale").Update(t.Context(), made, client.WithSubResourceBody(scale))
	says(t, err, 418, `admission webhook "vscale.shop.example.com" denied the request: thirteen is too many`)
	scale = &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 2}}
	must(t, direct.SubResource("scale").Update(t.Context(), made, client.WithSubResourceBody(scale)))
	if !warnings.has("it was scaled") {
		t.Fatalf("expected the warning of the webhook, got %v", warnings.texts)
	}
}

func TestAnOlderVersionIsReviewedInTheOneOfTheRule(t *testing.T) {
	made := &autoscalingv1.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "older"},
		Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{Kind: "Deployment", Name: "d", APIVersion: "apps/v1"},
			MaxReplicas:    3, TargetCPUUtilizationPercentage: ptr.To[int32](70),
		},
	}
	must(t, direct.Create(t.Context(), made))
	request := asked.find(func(r admission.Request) bool { return r.Name == "older" })
	if request == nil || request.Kind.Version != "v2" || request.RequestKind.Version != "v1" {
		t.Fatalf("expected a review in v2 of a request in v1, got %v", request)
	}
	if !strings.Contains(string(request.Object.Raw), `"averageUtilization":70`) {
		t.Fatalf("expected the object in v2, got %s", request.Object.Raw)
	}
}

func TestAWebhookThatFailsRefusesOrIsPassedBy(t *testing.T) {
	template := &corev1.PodTemplate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "refused"},
		Template:   corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i:1"}}}},
	}
	err := direct.Create(t.Context(), template)
	if !errors.IsInternalError(err) || !strings.HasPrefix(err.Error(), `Internal error occurred: failed calling webhook "vgone.shop.example.com": `) {
		t.Fatalf("expected the webhook that failed by its name, got %v", err)
	}
	must(t, direct.Create(t.Context(), &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "passed"}}))
}

func TestAllOfFortyThreeAreAsked(t *testing.T) {
	must(t, direct.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "counted"}}))
	count := 0
	asked.find(func(r admission.Request) bool {
		if r.Name == "counted" {
			count++
		}
		return false
	})
	if count != 43 {
		t.Fatalf("expected 43 reviews, got %d", count)
	}
}

// The configurations that envtest made are read as typed objects, which travel as protobuf.
func TestConfigurationsAreReadByTypedClients(t *testing.T) {
	config := rest.CopyConfig(restConfig)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	typed := kubernetes.NewForConfigOrDie(config).AdmissionregistrationV1()
	mutating, err := typed.MutatingWebhookConfigurations().Get(t.Context(), "mutating-webhook-configuration", metav1.GetOptions{})
	must(t, err)
	if one := mutating.Webhooks[0]; *one.ReinvocationPolicy != "Never" || *one.TimeoutSeconds != 10 || *one.MatchPolicy != "Equivalent" || one.ClientConfig.URL == nil {
		t.Fatalf("expected defaults and a URL, got %v", one)
	}
	made := many()
	made.Name = "other"
	made.Webhooks = made.Webhooks[:1]
	made.Webhooks[0].Rules[0].Resources = []string{"nothing"}
	_, err = typed.ValidatingWebhookConfigurations().Create(t.Context(), made, metav1.CreateOptions{})
	must(t, err)
	must(t, typed.ValidatingWebhookConfigurations().Delete(t.Context(), "other", metav1.DeleteOptions{}))
}
