-- A store as the first layout wrote it: three trials, one of them failed, one computed twice; a claim.
BEGIN TRANSACTION;
CREATE TABLE calibrant_claims (
	study INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	worker INTEGER NOT NULL,
	claimed DOUBLE NOT NULL,
	PRIMARY KEY (study, "key"),
	FOREIGN KEY(study) REFERENCES calibrant_studies (id),
	FOREIGN KEY(worker) REFERENCES calibrant_workers (id)
)
 WITHOUT ROWID

;
INSERT INTO "calibrant_claims" VALUES(1,'00000000000000000000000000000003',1,1.79481839855099463464e+09);
CREATE TABLE calibrant_names (
	id INTEGER NOT NULL,
	digest TEXT NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (digest)
);
INSERT INTO "calibrant_names" VALUES(1,'42f7ec716fb40ab32634bcb53599a569','{"calibrant": "0.1.0", "python": "3.11"}');
INSERT INTO "calibrant_names" VALUES(2,'8e69f1270f8b98dbdc74417113748f5e','digest 0');
INSERT INTO "calibrant_names" VALUES(3,'9101783bf3e4ac84d8d48720a42bcb43','data 0');
INSERT INTO "calibrant_names" VALUES(4,'dc9c5edb8b2d479e697b4b0b8ab874f3','tree');
INSERT INTO "calibrant_names" VALUES(5,'e3b0c44298fc1c149afbf4c8996fb924','');
INSERT INTO "calibrant_names" VALUES(6,'f2cd739814aee9dc422f2ce44a3315ed','fold 0');
INSERT INTO "calibrant_names" VALUES(7,'1a60ee5a5127a01f49a09489334f33cd','brier');
INSERT INTO "calibrant_names" VALUES(8,'dc3743da64c5b837fa5aba22256f26a7','auc');
INSERT INTO "calibrant_names" VALUES(9,'2836a57b3d5aace52d0e543e74a855ad','data 1');
INSERT INTO "calibrant_names" VALUES(10,'e5c7990e38adf52e1f932c333f130278','digest 1');
INSERT INTO "calibrant_names" VALUES(11,'1a0c01a1b1a629f8c18715ee7dae561d','digest 2');
INSERT INTO "calibrant_names" VALUES(12,'68367e230b2fdd7c3324a467bda2247f','data 2');
CREATE TABLE calibrant_predictions (
	trial INTEGER NOT NULL,
	parquet BLOB NOT NULL,
	PRIMARY KEY (trial),
	FOREIGN KEY(trial) REFERENCES calibrant_trials (id)
);
INSERT INTO "calibrant_predictions" VALUES(1,X'70617271756574');
CREATE TABLE calibrant_repeats (
	study INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	token TEXT NOT NULL,
	worker INTEGER NOT NULL,
	recorded DOUBLE NOT NULL,
	PRIMARY KEY (study, "key", token),
	FOREIGN KEY(study) REFERENCES calibrant_studies (id)
)
 WITHOUT ROWID

;
INSERT INTO "calibrant_repeats" VALUES(1,'00000000000000000000000000000001','second 1',1,1.79481839854600572583e+09);
CREATE TABLE calibrant_scores (
	trial INTEGER NOT NULL,
	metric INTEGER NOT NULL,
	part SMALLINT NOT NULL,
	value DOUBLE,
	PRIMARY KEY (trial, metric, part),
	FOREIGN KEY(trial) REFERENCES calibrant_trials (id)
)
 WITHOUT ROWID

;
INSERT INTO "calibrant_scores" VALUES(1,7,0,0.0);
INSERT INTO "calibrant_scores" VALUES(1,7,1,0.0);
INSERT INTO "calibrant_scores" VALUES(1,8,0,NULL);
INSERT INTO "calibrant_scores" VALUES(2,7,0,1.42857142857142849212e-01);
INSERT INTO "calibrant_scores" VALUES(2,7,1,0.0);
INSERT INTO "calibrant_scores" VALUES(2,8,0,NULL);
CREATE TABLE calibrant_store (
	version INTEGER NOT NULL,
	calibrant TEXT NOT NULL,
	created DOUBLE NOT NULL
);
INSERT INTO "calibrant_store" VALUES(1,'0.1.0',1.79481839850798559191e+09);
CREATE TABLE calibrant_studies (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	digest TEXT NOT NULL,
	name TEXT NOT NULL,
	definition TEXT NOT NULL,
	created DOUBLE NOT NULL,
	updated DOUBLE NOT NULL,
	UNIQUE (digest)
);
INSERT INTO "calibrant_studies" VALUES(1,'29d807300a961b0cbdb4f22cc5db866a','trees','{"seed": 0}',1.79481839851599192623e+09,1.79481839851599192623e+09);
CREATE TABLE calibrant_trials (
	id INTEGER NOT NULL,
	study INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	token TEXT NOT NULL,
	dataset INTEGER NOT NULL,
	fingerprint INTEGER NOT NULL,
	method INTEGER NOT NULL,
	split INTEGER NOT NULL,
	split_name INTEGER NOT NULL,
	seed BIGINT,
	versions INTEGER NOT NULL,
	n_train BIGINT NOT NULL,
	n_test BIGINT NOT NULL,
	fit_seconds DOUBLE NOT NULL,
	predict_seconds DOUBLE NOT NULL,
	shared_seconds DOUBLE NOT NULL,
	n_sharing INTEGER NOT NULL,
	choice INTEGER NOT NULL,
	error TEXT,
	recorded DOUBLE NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (study, "key"),
	FOREIGN KEY(study) REFERENCES calibrant_studies (id)
);
INSERT INTO "calibrant_trials" VALUES(1,1,'00000000000000000000000000000000','first 0',3,2,4,0,6,0,1,90,10,0.5,0.25,0.0,1,5,NULL,1.79481839852898716926e+09);
INSERT INTO "calibrant_trials" VALUES(2,1,'00000000000000000000000000000001','first 1',9,10,4,0,6,1,1,90,10,0.5,0.25,0.0,1,5,NULL,1.79481839853498196602e+09);
INSERT INTO "calibrant_trials" VALUES(3,1,'00000000000000000000000000000002','first 2',12,11,4,0,6,2,1,90,10,0.5,0.25,0.0,1,5,'Traceback',1.79481839854101681711e+09);
CREATE TABLE calibrant_workers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	study INTEGER NOT NULL,
	token TEXT NOT NULL,
	host TEXT NOT NULL,
	boot TEXT NOT NULL,
	namespace TEXT NOT NULL,
	pid BIGINT NOT NULL,
	process_start DOUBLE NOT NULL,
	lease DOUBLE NOT NULL,
	started DOUBLE NOT NULL,
	heartbeat DOUBLE NOT NULL,
	ended DOUBLE,
	FOREIGN KEY(study) REFERENCES calibrant_studies (id),
	UNIQUE (token)
);
INSERT INTO "calibrant_workers" VALUES(1,1,'96e2355f52134d6d9db0006250f4a099','elsewhere','00000000-0000-0000-0000-000000000001','pid:[4026531836]',20072,3575837.0,60.0,1.79481839852001523972e+09,1.79481839852001523972e+09,NULL);
CREATE INDEX calibrant_trials_failed ON calibrant_trials (study) WHERE error IS NOT NULL;
CREATE INDEX calibrant_trials_of_study ON calibrant_trials (study, id);
CREATE INDEX ix_calibrant_workers_study ON calibrant_workers (study);
CREATE INDEX ix_calibrant_claims_worker ON calibrant_claims (worker);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('calibrant_studies',1);
INSERT INTO "sqlite_sequence" VALUES('calibrant_workers',1);
COMMIT;
