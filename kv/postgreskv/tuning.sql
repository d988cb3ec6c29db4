-- Values are short and written often: they stay in their rows, as they are, and a page
-- keeps room for the next version of its rows.
ALTER TABLE store ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE state ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE store SET (toast_tuple_target = 8160, fillfactor = 85);
ALTER TABLE state SET (toast_tuple_target = 8160, fillfactor = 85);
ALTER TABLE object SET (fillfactor = 70);
