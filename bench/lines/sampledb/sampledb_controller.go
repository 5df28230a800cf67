package controller

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	dbv1 "example.com/sampledb/api/v1"
)

const (
	finalizer = "db.example.com/sampledb"
	partLabel = "app.kubernetes.io/component"
)

// SampleDBReconciler reconciles a SampleDB object
type SampleDBReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

func (r *SampleDBReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var db dbv1.SampleDB
	if err := r.Get(ctx, req.NamespacedName, &db); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !db.DeletionTimestamp.IsZero() {
		return r.reconcileDelete(ctx, &db)
	}
	if controllerutil.AddFinalizer(&db, finalizer) {
		if err := r.Update(ctx, &db); err != nil {
			return ctrl.Result{}, err
		}
	}
	waitingFor, failed, err := r.reconcileParts(ctx, &db)
	if err != nil {
		if statusErr := r.updateStatus(ctx, &db, "", "Error", err.Error()); statusErr != nil {
			return ctrl.Result{}, statusErr
		}
		return ctrl.Result{}, err
	}
	if failed != "" {
		return ctrl.Result{}, r.updateStatus(ctx, &db, waitingFor, "JobFailed", failed)
	}
	return ctrl.Result{}, r.updateStatus(ctx, &db, waitingFor, "", "")
}

func (r *SampleDBReconciler) reconcileParts(ctx context.Context, db *dbv1.SampleDB) (string, string, error) {
	if err := r.reconcileService(ctx, db); err != nil {
		return "", "", err
	}
	if err := r.reconcileClaim(ctx, db); err != nil {
		return "", "", err
	}
	if db.Status.Version != "" && db.Status.Version != db.Spec.Version {
		args := []string{"upgrade", "--from=" + db.Status.Version, "--to=" + db.Spec.Version}
		job, err := r.reconcileJob(ctx, db, "upgrade", "upgrade-"+db.Spec.Version, db.Spec.Version, args)
		if err != nil {
			return "", "", err
		}
		if hasCondition(job, batchv1.JobFailed) {
			return "Job " + job.Name, fmt.Sprintf("Job %s failed.", job.Name), nil
		}
		if !hasCondition(job, batchv1.JobComplete) {
			return "Job " + job.Name, "", nil
		}
	}
	ready, err := r.reconcileServer(ctx, db)
	if err != nil {
		return "", "", err
	}
	if !ready {
		return "StatefulSet " + db.Name, "", nil
	}
	if db.Status.Version == "" {
		job, err := r.reconcileJob(ctx, db, "init", "init", db.Spec.Version, []string{"init"})
		if err != nil {
			return "", "", err
		}
		if hasCondition(job, batchv1.JobFailed) {
			return "Job " + job.Name, fmt.Sprintf("Job %s failed.", job.Name), nil
		}
		if !hasCondition(job, batchv1.JobComplete) {
			return "Job " + job.Name, "", nil
		}
	}
	if err := r.reconcileBackups(ctx, db); err != nil {
		return "", "", err
	}
	return "", "", r.pruneJobs(ctx, db)
}

func (r *SampleDBReconciler) reconcileService(ctx context.Context, db *dbv1.SampleDB) error {
	service := &corev1.Service{ObjectMeta: objectMeta(db)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		service.Labels = labelsFor(db, "server")
		service.Spec.ClusterIP = corev1.ClusterIPNone
		service.Spec.Selector = labelsFor(db, "server")
		service.Spec.Ports = []corev1.ServicePort{{Name: "db", Port: 5432, Protocol: corev1.ProtocolTCP}}
		return controllerutil.SetControllerReference(db, service, r.Scheme)
	})
	return err
}

func (r *SampleDBReconciler) reconcileClaim(ctx context.Context, db *dbv1.SampleDB) error {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: objectMeta(db)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, claim, func() error {
		claim.Labels = labelsFor(db, "server")
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: db.Spec.Storage}
		return controllerutil.SetControllerReference(db, claim, r.Scheme)
	})
	return err
}

func (r *SampleDBReconciler) reconcileServer(ctx context.Context, db *dbv1.SampleDB) (bool, error) {
	server := &appsv1.StatefulSet{ObjectMeta: objectMeta(db)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, server, func() error {
		labels := labelsFor(db, "server")
		server.Labels = labels
		if server.CreationTimestamp.IsZero() {
			server.Spec.ServiceName = db.Name
			server.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		}
		server.Spec.Template.Labels = labels
		podSpec := &server.Spec.Template.Spec
		if len(podSpec.Containers) == 0 {
			podSpec.Containers = []corev1.Container{{Name: "server"}}
		}
		container := &podSpec.Containers[0]
		container.Image = imageOf(db.Spec.Version)
		container.Ports = []corev1.ContainerPort{{Name: "db", ContainerPort: 5432, Protocol: corev1.ProtocolTCP}}
		container.VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
		podSpec.Volumes = []corev1.Volume{{
			Name: "data",
			VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: db.Name},
			},
		}}
		return controllerutil.SetControllerReference(db, server, r.Scheme)
	})
	if err != nil {
		return false, err
	}
	status := server.Status
	replicas := ptr.Deref(server.Spec.Replicas, 1)
	return status.ObservedGeneration == server.Generation && status.UpdatedReplicas == replicas && status.ReadyReplicas == replicas, nil
}

func (r *SampleDBReconciler) reconcileBackups(ctx context.Context, db *dbv1.SampleDB) error {
	cronJob := &batchv1.CronJob{ObjectMeta: objectMeta(db)}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, cronJob, func() error {
		cronJob.Labels = labelsFor(db, "server")
		cronJob.Spec.Schedule = db.Spec.Backup.Schedule
		cronJob.Spec.ConcurrencyPolicy = batchv1.ForbidConcurrent
		spec := jobSpec(db, "backup", db.Spec.Version, []string{"backup", "--to=" + db.Spec.Backup.To})
		if !equality.Semantic.DeepDerivative(spec, cronJob.Spec.JobTemplate.Spec) {
			cronJob.Spec.JobTemplate.Spec = spec
		}
		return controllerutil.SetControllerReference(db, cronJob, r.Scheme)
	})
	return err
}

func (r *SampleDBReconciler) reconcileJob(ctx context.Context, db *dbv1.SampleDB, part, suffix, version string, args []string) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	key := client.ObjectKey{Namespace: db.Namespace, Name: db.Name + "-" + suffix}
	err := r.Get(ctx, key, job)
	if err == nil || !apierrors.IsNotFound(err) {
		return job, err
	}
	job = &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: labelsFor(db, part)},
		Spec:       jobSpec(db, part, version, args),
	}
	if err := controllerutil.SetControllerReference(db, job, r.Scheme); err != nil {
		return nil, err
	}
	return job, r.Create(ctx, job)
}

// pruneJobs deletes the Jobs that have done their work.
func (r *SampleDBReconciler) pruneJobs(ctx context.Context, db *dbv1.SampleDB) error {
	var jobs batchv1.JobList
	labels := client.MatchingLabels{"app.kubernetes.io/instance": db.Name}
	if err := r.List(ctx, &jobs, client.InNamespace(db.Namespace), labels); err != nil {
		return err
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		part := job.Labels[partLabel]
		if !metav1.IsControlledBy(job, db) || (part != "init" && part != "upgrade") {
			continue
		}
		err := r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

func (r *SampleDBReconciler) reconcileDelete(ctx context.Context, db *dbv1.SampleDB) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(db, finalizer) {
		return ctrl.Result{}, nil
	}
	if ptr.Deref(db.Spec.Backup.BeforeDeletion, true) && db.Status.Version != "" {
		args := []string{"backup", "--to=" + db.Spec.Backup.To}
		job, err := r.reconcileJob(ctx, db, "last-backup", "last-backup", db.Status.Version, args)
		if err != nil {
			return ctrl.Result{}, err
		}
		if hasCondition(job, batchv1.JobFailed) {
			message := fmt.Sprintf("Job %s failed: delete it to try again, or set spec.backup.beforeDeletion to false", job.Name)
			return ctrl.Result{RequeueAfter: time.Minute}, r.updateStatus(ctx, db, "Job "+job.Name, "JobFailed", message)
		}
		if !hasCondition(job, batchv1.JobComplete) {
			return ctrl.Result{RequeueAfter: time.Minute}, nil
		}
	}
	parts := []client.Object{&batchv1.CronJob{}, &appsv1.StatefulSet{}, &corev1.PersistentVolumeClaim{}, &corev1.Service{}}
	for _, part := range parts {
		err := r.Get(ctx, client.ObjectKeyFromObject(db), part)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return ctrl.Result{}, err
		}
		if !metav1.IsControlledBy(part, db) {
			continue
		}
		if part.GetDeletionTimestamp().IsZero() {
			err := r.Delete(ctx, part, client.PropagationPolicy(metav1.DeletePropagationForeground))
			if client.IgnoreNotFound(err) != nil {
				return ctrl.Result{}, err
			}
		}
		return ctrl.Result{RequeueAfter: 5 * time.Second}, nil
	}
	controllerutil.RemoveFinalizer(db, finalizer)
	return ctrl.Result{}, r.Update(ctx, db)
}

func (r *SampleDBReconciler) updateStatus(ctx context.Context, db *dbv1.SampleDB, waitingFor, reason, failure string) error {
	before := db.DeepCopy()
	ready, reconciling, stalled := metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionFalse
	readyReason, message := "Running", "The database runs."
	switch {
	case failure != "":
		ready, stalled = metav1.ConditionFalse, metav1.ConditionTrue
		readyReason, message = reason, failure
	case waitingFor != "":
		ready, reconciling = metav1.ConditionFalse, metav1.ConditionTrue
		readyReason, message = "Waiting", fmt.Sprintf("Waits for %s.", waitingFor)
	default:
		db.Status.Version = db.Spec.Version
	}
	for conditionType, status := range map[string]metav1.ConditionStatus{"Ready": ready, "Reconciling": reconciling, "Stalled": stalled} {
		meta.SetStatusCondition(&db.Status.Conditions, metav1.Condition{
			Type:               conditionType,
			Status:             status,
			Reason:             readyReason,
			Message:            message,
			ObservedGeneration: db.Generation,
		})
	}
	db.Status.ObservedGeneration = db.Generation
	var cronJob batchv1.CronJob
	if err := r.Get(ctx, client.ObjectKeyFromObject(db), &cronJob); client.IgnoreNotFound(err) != nil {
		return err
	}
	if cronJob.Status.LastSuccessfulTime != nil {
		db.Status.LastBackup = cronJob.Status.LastSuccessfulTime
	}
	if equality.Semantic.DeepEqual(before.Status, db.Status) {
		return nil
	}
	return r.Status().Update(ctx, db)
}

func jobSpec(db *dbv1.SampleDB, part, version string, args []string) batchv1.JobSpec {
	return batchv1.JobSpec{
		BackoffLimit: ptr.To(int32(2)),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labelsFor(db, part)},
			Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{
					Name:  part,
					Image: imageOf(version),
					Args:  append(args, "--server="+db.Name),
				}},
			},
		},
	}
}

func hasCondition(job *batchv1.Job, conditionType batchv1.JobConditionType) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == conditionType {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func imageOf(version string) string {
	return "registry.example.com/sampledb:" + version
}

func labelsFor(db *dbv1.SampleDB, part string) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":     "sampledb",
		"app.kubernetes.io/instance": db.Name,
		partLabel:                    part,
	}
}

func objectMeta(db *dbv1.SampleDB) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: db.Namespace, Name: db.Name}
}

// SetupWithManager sets up the controller with the Manager.
func (r *SampleDBReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&dbv1.SampleDB{}).
		Owns(&corev1.Service{}).
		Owns(&corev1.PersistentVolumeClaim{}).
		Owns(&appsv1.StatefulSet{}).
		Owns(&batchv1.Job{}).
		Owns(&batchv1.CronJob{}).
		Named("sampledb").
		Complete(r)
}
