-- Keys are compared byte by byte. An expiry is in microseconds since 1970; NULL is never.
CREATE TABLE store (
	ns      text COLLATE "C" NOT NULL,
	key     text COLLATE "C" NOT NULL,
	value   bytea NOT NULL,
	expires bigint,
	PRIMARY KEY (ns, key)
);
CREATE INDEX store_expires ON store (expires) WHERE expires IS NOT NULL;
-- A row for each object, to be locked.
CREATE TABLE object (
	class text COLLATE "C" NOT NULL,
	name  text COLLATE "C" NOT NULL,
	PRIMARY KEY (class, name)
);
CREATE TABLE state (
	class text COLLATE "C" NOT NULL,
	name  text COLLATE "C" NOT NULL,
	key   text COLLATE "C" NOT NULL,
	value bytea NOT NULL,
	PRIMARY KEY (class, name, key)
);
