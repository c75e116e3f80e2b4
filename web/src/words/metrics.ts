/** What the numbers of an experiment are called, and what they count. */

type Told = { label: string; about: string };

/** By the server's name of the number. */
const METRICS: Record<"en" | "ja", Record<string, Told>> = {
  en: {
    impossible_rate: { label: "Impossible actions a turn", about: "Refused deeds of the answers that stand, for each turn." },
    first_try_validity: { label: "First-try validity", about: "Turns whose first answer might happen as it is." },
    first_turn_validity: { label: "First-turn validity", about: "Whether the first answer of the first turn might happen as it is." },
    impossible_first_rate: { label: "Impossible actions a first try", about: "Refused deeds of first answers, for each turn." },
    invented_rate: { label: "Inventions a first try", about: "Deeds of first answers done to something that is nowhere in the world, for each turn." },
    avg_retry_steps_extra: { label: "Retries a turn", about: "Answers asked for beyond the first, for each turn." },
    retried_rate: { label: "Retried turns", about: "Turns with at least one retry." },
    retry_success_rate: { label: "Retry success", about: "Retries whose answer might happen, among the retries made." },
    silent_correction_rate: { label: "Silent corrections", about: "Turns corrected without an apology, among the turns with a retry." },
    give_up_rate: { label: "Give-ups", about: "Turns that were given up." },
    stall_mean: { label: "Stall score", about: "From 0 lively to 1 at a standstill, the mean over turns." },
    stall_event_rate: { label: "Standstills", about: "Turns at which a standstill was announced." },
    stall_recovery_rate: { label: "Recoveries from standstills", about: "Standstills that a lively turn followed before the next." },
    format_break_rate: { label: "Format breaks", about: "Turns whose first answer broke the format." },
    repair_rate: { label: "Repairs of format breaks", about: "Answers with a broken format that were mended." },
    unread_rate: { label: "Deeds nobody understood a turn", about: "Deeds of the answers that stand which were not understood, for each turn." },
    addressing_rate: { label: "Speaking to who cannot hear", about: "Turns addressed to somebody who cannot hear it." },
    goal_reached: { label: "Goal reached", about: "Whether the story ended well; nothing where it has no goal." },
    latency_p50: { label: "Latency, median", about: "The median over turns of the time all answers of a turn took." },
    latency_p95: { label: "Latency, 95th percentile", about: "The time that all but the slowest twentieth of the turns stayed within." },
    tokens_per_turn: { label: "Tokens a turn", about: "Tokens told and said, for each turn." },
    cost_per_turn: { label: "Cost a turn", about: "What the answers cost, for each turn." },
    hard_denied: { label: "Turns lost whole", about: "Turns that were refused and lost their speech as well, in a run." },
    crash: { label: "Crashes", about: "Whether the run ended with an error." },
  },
  ja: {
    impossible_rate: { label: "1ターンあたりの不可能な行動", about: "最終回答に残った、拒否された行動の数（1ターンあたり）。" },
    first_try_validity: { label: "初回の妥当率", about: "最初の回答がそのまま成り立つターンの割合。" },
    first_turn_validity: { label: "最初のターンの妥当率", about: "最初のターンの最初の回答が、そのまま成り立つかどうか。" },
    impossible_first_rate: { label: "初回回答の不可能な行動", about: "最初の回答で拒否された行動の数（1ターンあたり）。" },
    invented_rate: { label: "初回回答の作り話", about: "世界のどこにもないものへの行動の数（最初の回答、1ターンあたり）。" },
    avg_retry_steps_extra: { label: "1ターンあたりのやり直し", about: "2回目以降に求めた回答の数（1ターンあたり）。" },
    retried_rate: { label: "やり直しのあったターン", about: "やり直しが一度でもあったターンの割合。" },
    retry_success_rate: { label: "やり直しの成功率", about: "やり直しのうち、成り立つ回答が得られた割合。" },
    silent_correction_rate: { label: "自然な修正", about: "やり直したターンのうち、謝らずに行動を改めた割合。" },
    give_up_rate: { label: "断念", about: "断念したターンの割合。" },
    stall_mean: { label: "停滞度", about: "0（活発）から1（停滞）まで。全ターンの平均。" },
    stall_event_rate: { label: "停滞の発生", about: "停滞と判定されたターンの割合。" },
    stall_recovery_rate: { label: "停滞からの回復", about: "次の停滞までに活発なターンが戻った停滞の割合。" },
    format_break_rate: { label: "書式の乱れ", about: "最初の回答の書式が乱れたターンの割合。" },
    repair_rate: { label: "書式の修復率", about: "書式の乱れた回答のうち、修復できた割合。" },
    unread_rate: { label: "解釈できなかった行動", about: "最終回答のうち、解釈できなかった行動の数（1ターンあたり）。" },
    addressing_rate: { label: "聞こえない相手への発話", about: "聞こえない相手に話しかけたターンの割合。" },
    goal_reached: { label: "目標の達成", about: "物語がよい結末を迎えたかどうか。目標のないものは数えない。" },
    latency_p50: { label: "応答時間（中央値）", about: "1ターンの回答すべてにかかった時間の中央値。" },
    latency_p95: { label: "応答時間（95パーセンタイル）", about: "遅いほうの5%を除く、すべてのターンが収まる時間。" },
    tokens_per_turn: { label: "1ターンあたりのトークン", about: "入力と出力のトークン数（1ターンあたり）。" },
    cost_per_turn: { label: "1ターンあたりの費用", about: "回答にかかった費用（1ターンあたり）。" },
    hard_denied: { label: "丸ごと失われたターン", about: "行動を拒否され、発話も失われたターンの数（1回の実行あたり）。" },
    crash: { label: "異常終了", about: "実行がエラーで終わったかどうか。" },
  },
};

/** A number's name and meaning in a language; one that is new to this page goes by the server's own words. */
export function metricTold(name: string, language: "en" | "ja", otherwise: Told): Told {
  return METRICS[language][name] ?? otherwise;
}
