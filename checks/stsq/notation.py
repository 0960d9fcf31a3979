"""Letters of arXiv 2406.06893 (sparse token selection), one meaning each."""

from theorytools import letter

T = letter("T", "number of tokens", integer=True, positive=True)
q = letter("q", "number of selected tokens", integer=True, positive=True)
d = letter("d", "dimension of a token", integer=True, positive=True)
d_e = letter("d_e", "dimension of a positional encoding", integer=True, positive=True)
m = letter("m", "neurons of a network's first layer", integer=True, nonnegative=True)
rank_1 = letter("rank_1", "rank of the first layer", latex=r"\operatorname{rank}W_1", integer=True, nonnegative=True)
known = letter("known", "mean over the subsets of the variance of the target given the first layer", nonnegative=True,
               latex=r"\mathbb{E}_y\operatorname{tr}\operatorname{Cov}(s\mid W_1\operatorname{vec}X,y)")
theta = letter("theta", "loss over that of predicting 0", latex=r"\theta", nonnegative=True)
u = letter("u", "weight of a selected token over that of any other, orthonormal encodings", latex=r"e^{\beta}",
           positive=True)
alpha = letter("alpha", "scale of the value matrix", latex=r"\alpha")
beta = letter("beta", "inverse temperature", latex=r"\beta", nonnegative=True)
A_2 = letter("A_2", "mean over the subsets of the squared norm of the attention", latex="A", nonnegative=True)
B_y = letter("B_y", "mean over the subsets of the attention on the selected tokens", latex="B", nonnegative=True)
V_11 = letter("V_11", "squared Frobenius norm of the token block of V", latex=r"\|V_1\|_F^2", nonnegative=True)
V_tr = letter("V_tr", "trace of the token block of V", latex=r"\operatorname{tr}V_1")
V_22 = letter("V_22", "what the encoding block of V adds to the loss", latex=r"\mathbb{E}\|V_2Ea\|^2", nonnegative=True)
gap_y = letter("gap_y", "smallest score on y minus the largest off it, 1 minus the cross-talk",
               latex=r"(1-\kappa)")
eps_y = letter("eps_y", "attention outside the subset", latex=r"\epsilon", nonnegative=True)
w_2 = letter("w_2", "squared norm of the attention outside the subset, over its square", latex=r"\|w\|_2^2",
             nonnegative=True)
eps = letter("eps", "attention that orthonormal encodings leave outside the subset", latex=r"\varepsilon",
             positive=True)
part = letter("part", "scale of the value matrix over its best value at this attention", latex=r"\alpha/\alpha^*",
              positive=True)
t_frozen = letter("t_frozen", "closed-form time with the scale frozen at 1", latex=r"t_1(p)", positive=True)
t_slaved = letter("t_slaved", "closed-form time with the scale at its best value", latex=r"t_*(p)", positive=True)
margin = letter("margin", "relative slope of the loss in the inverse temperature", latex=r"\mu")
T_1 = letter("T_1", "number of tokens at the test, T or more", latex="T'", integer=True, positive=True)
w = letter("w", "exp(beta/T), the weight per score of 1/T", positive=True)
loss_8 = letter("loss_8", "closed form of the loss at the new length, fixed orthonormal encodings", nonnegative=True,
                latex=r"L_{T'}(\alpha,w)")
loss_9 = letter("loss_9", "closed form of its limit at infinite inverse temperature", latex=r"L_{T'}(\infty)",
                nonnegative=True)
ell = letter("ell", "loss that is asked for", latex=r"\ell", positive=True)
c = letter("c", "level that the cross-talk shall not reach", nonnegative=True)
delta = letter("delta", "probability of failure that is allowed", latex=r"\delta", positive=True)
t_cdf = letter("t_cdf", "law of Student's t with d_e - q + 1 degrees of freedom at c sqrt((d_e - q + 1)/q)",
               latex=r"F_{d_e-q+1}", nonnegative=True)
z_2 = letter("z_2", "square of the median of the largest of T - q standard normal numbers", latex="z_n^2",
             nonnegative=True)
P_c = letter("P_c", "probability that the cross-talk of Gaussian encodings is below c", latex=r"\Pr(\kappa<c)",
             nonnegative=True)
e_2 = letter("e_2", "squared length of the query", latex=r"\|e_y\|^2", positive=True)
v = letter("v", "weight that one unit of a score is worth, the unit being the common denominator of all scores",
           latex=r"e^{\beta/m}", positive=True)
dL_beta = letter("dL_beta", "slope of the loss in the inverse temperature, from the moments of the attention",
                 latex=r"\partial_\beta L")
P_dep = letter("P_dep", "probability that the columns of a sign matrix, up to sign, do not span",
               latex=r"\Pr(\operatorname{span}<q)", nonnegative=True)
kept = letter("kept", "tokens that top-k attention keeps", latex="k", integer=True, positive=True)
offset = letter("offset", "constant that is added to the output", latex="b")
tilt = letter("tilt", "slope of a head's scores in the selected tokens", latex=r"\gamma", positive=True)
d_half = letter("d_half", "encoding dimension at which half of all draws separate the subset", latex=r"d_{50}(1)",
                positive=True)
f_kappa = letter("f_kappa", "density of the cross-talk at 1", latex=r"f_\kappa(1)", positive=True)
L_infty = letter("L_infty", "limit of the relative loss at infinite inverse temperature", latex=r"\tfrac{qL_\infty}d",
                 nonnegative=True)
beta_0 = letter("beta_0", "inverse temperature near the least of the leading-order loss", latex=r"\beta_0",
                positive=True)
rho_w = letter("rho_w", "weight of the second token over that of the first in a neuron", latex=r"\rho_w",
               nonnegative=True)
mark = letter("mark", "steps of training", integer=True, nonnegative=True)
slack = letter("slack", "tolerance stated before the run", latex=r"\delta_{\mathrm{rule}}", positive=True)
delta_3 = letter("delta_3", "restricted isometry constant of order 3q", latex=r"\delta_{3q}", nonnegative=True)
delta_1 = letter("delta_1", "restricted isometry constant of order q + 1", latex=r"\delta_{q+1}", nonnegative=True)
delta_0 = letter("delta_0", "restricted isometry constant of order q", latex=r"\delta_q", nonnegative=True)
steps = letter("steps", "corrections of the query", latex="K", integer=True, nonnegative=True)
fit = letter("fit", "probability of failure by the union over all sets", latex=r"\pi", positive=True)
part_e = letter("part_e", "one over the attention left outside the subset", latex="N", integer=True,
                positive=True)
P_lp = letter("P_lp", "probability that some query has score 1 on a set and less off it, Gaussian encodings",
              latex=r"\Pr(t^*<1)", nonnegative=True)
mass = letter("mass", "attention on the selected tokens", latex="p", nonnegative=True)
size_V = letter("size_V", "squared Frobenius norm of the encoding block of V", latex=r"\|V_2\|^2", nonnegative=True)
size_W = letter("size_W", "the same of the block of W by which attention reads tokens", latex=r"\|W_{12}\|^2",
                nonnegative=True)
V_W = letter("V_W", "inner product of these two blocks", latex=r"\operatorname{tr}V_2W_{12}^\top")
cross = letter("cross", "coefficient of their product in the loss to second order", latex="b")
bend = letter("bend", "coefficient of the block of W in the loss to second order", latex="w")
bits = letter("bits", "bits of one number: of a coordinate of a query, of a neuron's value", latex="p", integer=True,
              nonnegative=True)
values = letter("values", "different values of the first layer", latex="2^b", integer=True, positive=True)
queries = letter("queries", "different query vectors", latex="2^b", integer=True, positive=True)
slope_K = letter("slope_K", "variance of the selected scores under the sum query, times d_e, to leading order",
                 latex="Kd_e", positive=True)
pull = letter("pull", "sum of a_i (A - a_i)(alpha a_i - tau_i) over the tokens", latex="S")
