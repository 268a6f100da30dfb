// Package suite is a suite as kubebuilder lays one out: envtest starts what lies in KUBEBUILDER_ASSETS, installs definitions,
// and the tests use clients and a manager of controller-runtime. Nothing here knows of Keelson.
package suite

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var (
	environment *envtest.Environment
	config      *rest.Config
	direct      client.Client
	labels      = map[string]string{"app": "web"}
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	environment = &envtest.Environment{CRDDirectoryPaths: []string{"definitions"}, ErrorIfCRDPathMissing: true}
	var err error
	config, err = environment.Start()
	if err == nil {
		direct, err = client.New(config, client.Options{})
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	if err := environment.Stop(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same fails the test when two things differ.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("expected %s to be %v, got %v", what, want, got)
	}
}

// refused fails the test unless an error is of a kind.
func refused(t *testing.T, err error, is func(error) bool) {
	t.Helper()
	if !is(err) {
		t.Fatalf("expected a refusal of another kind, got %v", err)
	}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("expected in time that %s", what)
		}
	}
}

// namespaceOf makes a namespace for a test.
func namespaceOf(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "suite-"}}
	must(t, direct.Create(t.Context(), namespace))
	return namespace.Name
}

func template(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{RestartPolicy: restart, Containers: []corev1.Container{{Name: "c", Image: "i:1"}}},
	}
}

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template(corev1.RestartPolicyAlways)},
	}
}

// Every environment is started and stopped by itself; the least of them tells what it costs when nothing else runs.
func TestStartsAndStopsQuickly(t *testing.T) {
	least := map[string]time.Duration{}
	timed := func(what string, work func() error) {
		began := time.Now()
		must(t, work())
		if took := time.Since(began); least[what] == 0 || took < least[what] {
			least[what] = took
		}
	}
	for range 5 {
		one := &envtest.Environment{}
		var found *rest.Config
		timed("started", func() (err error) {
			if found, err = one.Start(); err != nil {
				return err
			}
			_, err = kubernetes.NewForConfigOrDie(found).CoreV1().Namespaces().Get(t.Context(), "default", metav1.GetOptions{})
			return err
		})
		timed("stopped", one.Stop)
		if _, err := kubernetes.NewForConfigOrDie(found).Discovery().ServerVersion(); err == nil {
			t.Fatal("expected no answer when it is stopped")
		}
	}
	for _, what := range []string{"started", "stopped"} {
		fmt.Printf("%s in %d ms\n", what, least[what].Milliseconds())
	}
}

func TestInstallsDefinitions(t *testing.T) {
	namespace := namespaceOf(t)
	crate := func(name string, spec map[string]any) *unstructured.Unstructured {
		made := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		made.SetGroupVersionKind(schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Crate"})
		made.SetNamespace(namespace)
		made.SetName(name)
		return made
	}
	small := crate("small", map[string]any{"bottles": int64(6)})
	must(t, direct.Create(t.Context(), small))
	colour, _, _ := unstructured.NestedString(small.Object, "spec", "colour")
	same(t, "the default colour", colour, "green")
	refused(t, direct.Create(t.Context(), crate("empty", map[string]any{"bottles": int64(0)})), errors.IsInvalid)
	refused(t, direct.Create(t.Context(), crate("big", map[string]any{"bottles": int64(24)})), errors.IsInvalid)
	must(t, direct.Create(t.Context(), crate("brown", map[string]any{"bottles": int64(24), "colour": "brown"})))
	must(t, unstructured.SetNestedField(small.Object, true, "status", "full"))
	must(t, direct.Status().Update(t.Context(), small))
	full, _, _ := unstructured.NestedBool(small.Object, "status", "full")
	same(t, "the status", full, true)
}

func TestAddsUsers(t *testing.T) {
	who := func(user *envtest.AuthenticatedUser) *authenticationv1.SelfSubjectReview {
		review := &authenticationv1.SelfSubjectReview{}
		clients := kubernetes.NewForConfigOrDie(user.Config())
		found, err := clients.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), review, metav1.CreateOptions{})
		must(t, err)
		return found
	}
	kim, err := environment.AddUser(envtest.User{Name: "kim", Groups: []string{"team"}}, nil)
	must(t, err)
	same(t, "the name", who(kim).Status.UserInfo.Username, "kim")
	same(t, "the first group", who(kim).Status.UserInfo.Groups[0], "team")
	hers, err := client.New(kim.Config(), client.Options{})
	must(t, err)
	refused(t, hers.List(t.Context(), &corev1.ConfigMapList{}), errors.IsForbidden)

	admin, err := environment.AddUser(envtest.User{Name: "pat", Groups: []string{"system:masters"}}, &rest.Config{QPS: 100})
	must(t, err)
	written, err := admin.KubeConfig()
	must(t, err)
	fromFile, err := clientcmd.RESTConfigFromKubeConfig(written)
	must(t, err)
	his, err := client.New(fromFile, client.Options{})
	must(t, err)
	must(t, his.List(t.Context(), &corev1.ConfigMapList{}))

	acting := rest.CopyConfig(config)
	acting.Impersonate = rest.ImpersonationConfig{UserName: "kim", Groups: []string{"team"}}
	asKim, err := client.New(acting, client.Options{})
	must(t, err)
	refused(t, asKim.List(t.Context(), &corev1.ConfigMapList{}), errors.IsForbidden)
}

func TestWorkloads(t *testing.T) {
	namespace, ctx := namespaceOf(t), t.Context()
	web := deployment(namespace, "web")
	must(t, direct.Create(ctx, web))
	same(t, "the default replicas", *web.Spec.Replicas, 1)
	same(t, "the generation", web.Generation, 1)

	from := client.MergeFrom(web.DeepCopy())
	web.Spec.Template.Spec.Containers[0].Image = "i:2"
	must(t, direct.Patch(ctx, web, from))
	same(t, "the generation", web.Generation, 2)
	web.Status = appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1, ReadyReplicas: 1}
	must(t, direct.Status().Update(ctx, web))
	same(t, "the ready ones", web.Status.ReadyReplicas, 1)

	scale := &autoscalingv1.Scale{}
	must(t, direct.SubResource("scale").Get(ctx, web, scale))
	scale.Spec.Replicas = 4
	must(t, direct.SubResource("scale").Update(ctx, web, client.WithSubResourceBody(scale)))
	must(t, direct.Get(ctx, client.ObjectKeyFromObject(web), web))
	same(t, "the replicas", *web.Spec.Replicas, 4)

	applied := applyapps.Deployment("applied", namespace).WithLabels(labels).WithSpec(applyapps.DeploymentSpec().
		WithReplicas(2).WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).WithSpec(applycore.PodSpec().
			WithContainers(applycore.Container().WithName("c").WithImage("i:1")))))
	must(t, direct.Apply(ctx, applied, client.FieldOwner("suite")))
	refused(t, direct.Apply(ctx, applied.WithSpec(applied.Spec.WithReplicas(3)), client.FieldOwner("other")), errors.IsConflict)
	list := &appsv1.DeploymentList{}
	must(t, direct.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels(labels)))
	same(t, "the number of Deployments", len(list.Items), 2)
	must(t, direct.DeleteAllOf(ctx, &appsv1.Deployment{}, client.InNamespace(namespace)))
	must(t, direct.List(ctx, list, client.InNamespace(namespace)))
	same(t, "the number that is left", len(list.Items), 0)

	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "once"},
		Spec:       batchv1.JobSpec{Template: template(corev1.RestartPolicyNever)},
	}
	must(t, direct.Create(ctx, job))
	same(t, "the label of the job", job.Spec.Template.Labels["batch.kubernetes.io/job-name"], "once")
	cron := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "often"},
		Spec:       batchv1.CronJobSpec{Schedule: "every day", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template(corev1.RestartPolicyNever)}}},
	}
	refused(t, direct.Create(ctx, cron.DeepCopy()), errors.IsInvalid)
	cron.Spec.Schedule = "@daily"
	must(t, direct.Create(ctx, cron))
	same(t, "the default policy", cron.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)

	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
		Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
			Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Name: "http"}},
		}},
	}
	must(t, direct.Create(ctx, ingress))
	must(t, direct.Create(ctx, &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "closed"}}))
}

func TestBudgetsHoldEvictions(t *testing.T) {
	namespace, ctx := namespaceOf(t), t.Context()
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels}},
	}
	must(t, direct.Create(ctx, budget))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", Labels: labels}, Spec: template(corev1.RestartPolicyAlways).Spec}
	pod.Spec.NodeName = "n"
	must(t, direct.Create(ctx, pod))
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}
	must(t, direct.Status().Update(ctx, pod))
	// Without what a controller has counted the server would say for a hundred seconds that it is still being processed.
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, CurrentHealthy: 1, DesiredHealthy: 1, ExpectedPods: 1}
	must(t, direct.Status().Update(ctx, budget))
	eviction := &policyv1.Eviction{DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}}
	refused(t, direct.SubResource("eviction").Create(ctx, pod, eviction.DeepCopy()), errors.IsTooManyRequests)
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: 1, CurrentHealthy: 2, DesiredHealthy: 1, ExpectedPods: 2}
	must(t, direct.Status().Update(ctx, budget))
	must(t, direct.SubResource("eviction").Create(ctx, pod, eviction.DeepCopy()))
	refused(t, direct.Get(ctx, client.ObjectKeyFromObject(pod), pod), errors.IsNotFound)
}

// serving makes a Service for each Deployment.
type serving struct{ client.Client }

func (s *serving) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var found appsv1.Deployment
	if err := s.Get(ctx, request.NamespacedName, &found); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: found.Namespace, Name: found.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, s.Client, service, func() error {
		service.Spec.Selector = found.Spec.Selector.MatchLabels
		service.Spec.Ports = []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080), Protocol: corev1.ProtocolTCP}}
		return controllerutil.SetControllerReference(&found, service, s.Scheme())
	})
	return ctrl.Result{}, err
}

func TestManagerOwnsWhatItMakes(t *testing.T) {
	namespace := namespaceOf(t)
	running, stop := context.WithCancel(t.Context())
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	must(t, err)
	must(t, ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).Owns(&corev1.Service{}).Complete(&serving{manager.GetClient()}))
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	must(t, direct.Create(t.Context(), deployment(namespace, "owned")))
	service := &corev1.Service{}
	isThere := func() bool {
		return direct.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "owned"}, service) == nil
	}
	eventually(t, "the Service is there", isThere)
	same(t, "its owner", service.OwnerReferences[0].Kind, "Deployment")
	if service.Spec.ClusterIP == "" {
		t.Fatal("expected an address")
	}
	first := service.UID
	must(t, direct.Delete(t.Context(), service))
	eventually(t, "another Service is there", func() bool { return isThere() && service.UID != first })
	stop()
	must(t, <-ended)
}

func TestKeepsObjectsOverARestart(t *testing.T) {
	own := &envtest.Environment{}
	found, err := own.Start()
	must(t, err)
	defer func() { must(t, own.Stop()) }()
	maps := func(config *rest.Config) typedcore.ConfigMapInterface {
		return kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	}
	made, err := maps(found).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, metav1.CreateOptions{})
	must(t, err)
	// It is another environment than that of the other tests.
	refused(t, direct.Get(t.Context(), client.ObjectKeyFromObject(made), &corev1.ConfigMap{}), errors.IsNotFound)
	api := own.ControlPlane.GetAPIServer()
	must(t, api.Stop())
	must(t, api.Start())
	// The certificates are others then.
	user, err := own.AddUser(envtest.User{Name: "again", Groups: []string{"system:masters"}}, nil)
	must(t, err)
	again, err := maps(user.Config()).Get(t.Context(), "kept", metav1.GetOptions{})
	must(t, err)
	same(t, "the resourceVersion", again.ResourceVersion, made.ResourceVersion)
}

func TestNoControllersRun(t *testing.T) {
	namespace := namespaceOf(t)
	owner := deployment(namespace, "owner")
	must(t, direct.Create(t.Context(), owner))
	dependent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "dependent"}}
	must(t, controllerutil.SetControllerReference(owner, dependent, direct.Scheme()))
	must(t, direct.Create(t.Context(), dependent))
	must(t, direct.Delete(t.Context(), owner))
	must(t, direct.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	left := &corev1.Namespace{}
	for range 10 {
		must(t, direct.Get(t.Context(), client.ObjectKey{Name: namespace}, left))
		same(t, "the phase", left.Status.Phase, corev1.NamespaceTerminating)
		must(t, direct.Get(t.Context(), client.ObjectKeyFromObject(dependent), dependent))
		time.Sleep(30 * time.Millisecond)
	}
}
