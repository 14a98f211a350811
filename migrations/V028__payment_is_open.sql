-- The states in which a payment is open: the list stands here for every statement. PostgreSQL inlines the function, so
-- the partial index payments_one_open, whose condition is the same list, serves these statements as before.
CREATE FUNCTION payment_is_open(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN state IN ('submitting', 'created', 'requires_action', 'processing', 'declined', 'conflicted');
