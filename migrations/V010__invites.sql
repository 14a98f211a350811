-- Who may see an invitation besides its company: whoever holds its token (the setting is its SHA-256, made by
-- InviteTx alone), and the person who has proven the invited address.
CREATE FUNCTION current_invite() RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('bipe.invite_sha256', true), '')::bytea;

CREATE POLICY token ON invites FOR SELECT TO bipe_app USING (token_sha256 = (SELECT current_invite()));
CREATE POLICY invitee ON invites FOR SELECT TO bipe_app USING (email = (
    SELECT u.email FROM users u WHERE u.id = (SELECT current_person()) AND u.email_verified_at IS NOT NULL));
CREATE POLICY token ON companies FOR SELECT TO bipe_app
    USING (id IN (SELECT company_id FROM invites WHERE token_sha256 = (SELECT current_invite())));

-- A deleted company has no members and no invites; its row stays for the payments that must be kept.
ALTER TABLE companies ADD COLUMN deleted_at timestamptz;
