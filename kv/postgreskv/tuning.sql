-- Values are short and written often: they are stored uncompressed in their rows, and
-- each page keeps free space for new row versions.
ALTER TABLE store ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE state ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE store SET (toast_tuple_target = 8160, fillfactor = 85);
ALTER TABLE state SET (toast_tuple_target = 8160, fillfactor = 85);
ALTER TABLE object SET (fillfactor = 70);
