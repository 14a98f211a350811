-- Almost every statement that reads companies works for one of them. The rows that a person sees, or the holder of an
-- invitation, are looked for only where no company is set: as part of the policies, both searches were prepared by
-- each statement, which took longer than the row itself.

-- The row-level security of its caller holds in here, too.
CREATE FUNCTION visible_companies() RETURNS uuid[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF current_person() IS NOT NULL THEN
        RETURN ARRAY(SELECT company_id FROM members WHERE user_id = current_person());
    END IF;
    IF current_invite() IS NOT NULL THEN
        RETURN ARRAY(SELECT company_id FROM invites WHERE token_sha256 = current_invite());
    END IF;
    RETURN '{}';
END
$$;

DROP POLICY person ON companies;
DROP POLICY token ON companies;
CREATE POLICY visible ON companies FOR SELECT TO bipe_app
    USING ((SELECT current_company()) IS NULL AND id = ANY ((SELECT visible_companies())::uuid[]));
